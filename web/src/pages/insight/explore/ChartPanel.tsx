import { Box, Card, Group, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Pick } from '../../../analysis/Pick.tsx';
import { type Costs, useCosts, useQuestion } from '../../../analysis/queries.ts';
import {
  initial,
  literal,
  narrowed,
  queryOf,
  type Question,
  withFilter,
} from '../../../analysis/question.ts';
import { comparisons, type Dimension, groupingInWords, metrics } from '../../../analysis/words.ts';
import { ChartFrame, chartPlaceholder, ChartWaits } from '../../../charts/ChartFrame.tsx';
import { type Entry, Legend } from '../../../charts/Legend.tsx';
import {
  legendOf,
  needsLog,
  peakOf,
  secondOf,
  type Series,
  shortened,
  type Tile,
  tilesOf,
  topSeries,
} from '../../../charts/series.ts';
import { SeriesChart } from '../../../charts/SeriesChart.tsx';
import {
  comparedSeries,
  endOf,
  maxWithPrevious,
  partialTitle,
  showsPrevious,
  type Span,
  spansOf,
} from '../../../charts/spans.ts';
import { TreemapChart } from '../../../charts/TreemapChart.tsx';
import { CostTotal } from '../../../parts/costs/CostTotal.tsx';
import { zoomed } from '../../../parts/costs/groupRows.ts';
import { Boundary } from '../../../ui/Boundary.tsx';
import { Segments } from '../../../ui/Segments.tsx';
import { Note, TextButton } from '../../../ui/text.tsx';
import { oneOf } from '../../../ui/useAddress.ts';

const kinds = ['bars', 'lines', 'treemap'] as const;
type Kind = (typeof kinds)[number];

export function kindIn(params: URLSearchParams): Kind {
  return oneOf(kinds, params.get('chart'), 'bars');
}

const kindTitles: Record<Kind, string> = {
  bars: 'Bars',
  lines: 'Lines',
  treemap: 'Treemap',
};

const hints: Record<Kind, string> = {
  bars: 'Click a bar to see what is in it. Drag to zoom.',
  lines: 'Click a line to see what is in it, or its color in the legend to hide it. Drag to zoom.',
  treemap: 'Click an area to see what is in it.',
};

const maxTiles = 200;

function withChart(params: URLSearchParams, kind: Kind): URLSearchParams {
  const others = new URLSearchParams(params);
  if (kind === 'bars') others.delete('chart');
  else others.set('chart', kind);
  return others;
}

type Props = {
  question: Question;
  today: string;
  costs: Costs;
  marked: string | null;
  isStale: boolean;
  onMark: (key: string | null) => void;
};

/** The total, and a chart of it. The table below has the same figures as text. */
export function ChartPanel(props: Props) {
  const { costs, isStale } = props;
  const { question, params, change } = useQuestion();
  const kind = kindIn(params);
  // Includes hidden lines, so that the axis stays when one is hidden.
  const usualScale: Scale = needsLog(topSeries(costs)) ? 'log' : 'linear';
  const scale = oneOf(['linear', 'log'] as const, params.get('scale'), usualScale);
  const setScale = (next: Scale): void => {
    const others = new URLSearchParams(params);
    if (next === usualScale) others.delete('scale');
    else others.set('scale', next);
    change(question, others);
  };
  const shownBy = kind === 'treemap' ? nestedBy(question) : costs.group_by;
  return (
    <Card withBorder component="section" aria-label="Chart" p="md" className="explore-panel">
      <Group justify="space-between" align="flex-start" mb="sm" gap="xs">
        <CostTotal
          costs={costs}
          headingId="explore-title"
          heading={`${metrics[costs.metric].title}${shownBy.length > 0 ? ` by ${groupingInWords(shownBy)}` : ''}`}
          flex="1 1 180px"
          className={isStale ? 'is-stale' : ''}
        />
        <Controls kind={kind} scale={scale} onScale={setScale} />
      </Group>
      <Box className={isStale ? 'is-stale' : undefined}>
        <Boundary
          resetKey={kind}
          fallback={() => <Note>The chart failed to load. The table has its figures.</Note>}
        >
          {kind === 'treemap' ? (
            <TreemapPart {...props} />
          ) : (
            <SeriesPart {...props} kind={kind} scale={scale} />
          )}
        </Boundary>
      </Box>
      {kind === 'lines' && usualScale === 'log' && (
        <ScaleNote costs={costs} scale={scale} onScale={setScale} />
      )}
      <Note size="xs" mt={6} visibleFrom="sm">
        {hints[kind]}
      </Note>
    </Card>
  );
}

function Controls({ kind, scale, onScale }: ScaleProps & { kind: Kind }) {
  const { question, params, change } = useQuestion();
  return (
    <>
      {kind === 'lines' && <Pick label="Scale" value={scale} options={scales} onChange={onScale} />}
      <Segments
        label="Kind of chart"
        options={kindTitles}
        value={kind}
        onChange={(value) => change(question, withChart(params, value))}
      />
    </>
  );
}

type SeriesProps = Props & { kind: 'bars' | 'lines'; scale: Scale };

function SeriesPart({ kind, scale, today, costs, marked, onMark }: SeriesProps) {
  const { question, change, searchOf } = useQuestion();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const { granularity, period, metric } = costs;
  if (granularity === 'total') return chartPlaceholder;
  const series = kind === 'lines' ? comparedSeries(costs, topSeries(costs)) : topSeries(costs);
  const visible = series.filter(({ key }) => !hidden.has(key));
  const spans = spansOf(costs).map((span, index): Span => {
    if (visible.length === series.length) return span;
    const total = visible.reduce((sum, { values }) => sum + (values[index] ?? 0), 0);
    return { ...span, total, previous: null };
  });
  // Lines have their own dashed lines, even if some are hidden.
  const hasPrevious = showsPrevious(kind === 'lines' ? spansOf(costs) : spans);
  const isCrowded = kind === 'lines' && visible.length > maxWithPrevious;
  const previous =
    hasPrevious && question.compare !== 'none'
      ? `${comparisons[question.compare]}${isCrowded ? ' (highlighted line)' : ''}`
      : null;
  const entries = shortened(series).map((each): Entry => ({
    ...each,
    href: hrefOf(each, question, searchOf),
  }));
  const toggle = (key: string): void => {
    const next = new Set(hidden);
    if (!next.delete(key)) next.add(key);
    setHidden(next);
  };
  return (
    <ChartFrame
      id="explore-chart"
      label={labelOf(costs, series)}
      legend={
        <Legend
          entries={entries}
          metric={metric}
          hidden={hidden}
          onMark={onMark}
          glyph={kind === 'bars' ? 'bar' : 'line'}
          previous={previous}
          partial={kind === 'bars' ? partialTitle(spans, { granularity, period, today }) : null}
          onToggle={series.length > 1 ? toggle : null}
        />
      }
    >
      <SeriesChart
        kind={kind}
        spans={spans}
        metric={metric}
        granularity={granularity}
        period={period}
        today={today}
        series={shortened(visible)}
        isLog={kind === 'lines' && scale === 'log'}
        marked={visible.some(({ key }) => key === marked) ? marked : null}
        onMark={onMark}
        onSeries={({ narrow }) => narrow && change(narrowed(question, narrow))}
        onSpans={(first, last) =>
          change(zoomed(question, { from: first, to: endOf(last, granularity, period) }, today))
        }
      />
    </ChartFrame>
  );
}

function hrefOf({ narrow }: Series, question: Question, searchOf: (next: Question) => string): string | null {
  return narrow ? `/explore${searchOf(narrowed(question, narrow))}` : null;
}

function labelOf({ metric, total, granularity }: Costs, series: Series[]): string {
  const words = metrics[metric];
  const parts = series.slice(0, 3).map(({ title, value }) => `${title} ${words.amount(value)}`);
  return `${words.title} by ${granularity}, ${words.amount(total.value)} in total: ${parts.join(', ')}. The table has all figures.`;
}

function TreemapPart({ today, marked, onMark }: Props) {
  const { question, change, searchOf } = useQuestion();
  const [first = '', second] = nestedBy(question);
  const nested = useNested(question, today);
  const tiles = useMemo(() => (nested.data ? tilesOf(nested.data) : []), [nested.data]);
  if (!nested.data) return <ChartWaits query={nested} />;
  const { metric, total } = nested.data;
  const entries = legendOf(tiles).map((tile): Entry => ({
    ...tile,
    title: tile.name,
    href: tile.key === '' ? null : `/explore${searchOf(questionOf(tile))}`,
  }));
  function questionOf({ first: value }: Tile): Question {
    const filter = { dimension: first as Dimension, isNot: false, values: [literal(value)] };
    return { ...withOnly(question, filter), groupBy: second ? [second] : [first] };
  }
  return (
    <ChartFrame
      id="explore-chart"
      label={`${metrics[metric].title} as areas: ${tiles.map(({ name, value }) => `${name} ${metrics[metric].amount(value)}`).join(', ')}`}
      legend={<Legend entries={entries} metric={metric} onMark={onMark} glyph="bar" />}
    >
      <div aria-busy={nested.isPlaceholderData} className={nested.isPlaceholderData ? 'is-stale' : undefined}>
        <TreemapChart
          tiles={tiles}
          metric={metric}
          total={total.value}
          marked={tiles.some(({ key }) => key === marked) ? marked : null}
          onArea={({ narrow }, tile) => change(narrow ? narrowed(question, narrow) : questionOf(tile))}
        />
      </div>
    </ChartFrame>
  );
}

export function useNested(question: Question, today: string, { enabled = true } = {}) {
  const asked = { ...question, groupBy: nestedBy(question), sort: initial.sort };
  return useCosts(queryOf(asked, today, { granularity: 'total', limit: maxTiles }), { enabled });
}

export function nestedBy(question: Question): string[] {
  const [first = 'repository', second = secondOf(first, question)] = question.groupBy;
  return second ? [first, second] : [first];
}

function withOnly(question: Question, filter: Question['filters'][number]): Question {
  const old = question.filters.find(({ dimension, isNot }) => dimension === filter.dimension && !isNot);
  return withFilter(question, old ?? null, filter);
}

const scales = { linear: 'Linear', log: 'Log' };
type Scale = keyof typeof scales;
type ScaleProps = { scale: Scale; onScale: (scale: Scale) => void };

type ScaleNoteProps = ScaleProps & { costs: Costs };

/** Explains an unexpected scale and offers the other one. */
function ScaleNote({ costs, scale, onScale }: ScaleNoteProps) {
  const { line, times } = peakOf(shortened(topSeries(costs)));
  const isLog = scale === 'log';
  return (
    <Text size="xs" mt={6}>
      {isLog ? 'Log scale' : 'Linear scale'}: {line?.title} peaks at {Math.round(times)} times the next line
      {isLog ? '.' : ', and flattens the others.'}{' '}
      <TextButton onClick={() => onScale(isLog ? 'linear' : 'log')}>
        {isLog ? 'Use a linear scale' : 'Use a log scale'}
      </TextButton>
    </Text>
  );
}
