import { Box, Card, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { Suspense, useMemo, useState } from 'react';
import { Change } from '../../../analysis/Change.tsx';
import { beforeTitle } from '../../../analysis/changeWords.ts';
import { Pick } from '../../../analysis/Pick.tsx';
import { useCosts, useQuestion, type Costs } from '../../../analysis/queries.ts';
import {
  initial,
  literal,
  narrowed,
  queryOf,
  withFilter,
  type Question,
} from '../../../analysis/question.ts';
import { comparisons, groupingInWords, metrics, type Dimension } from '../../../analysis/words.ts';
import { ChartFrame, chartPlaceholder, useChartHeight } from '../../../charts/ChartFrame.tsx';
import { Legend, type Entry } from '../../../charts/Legend.tsx';
import {
  cellsOf,
  legendOf,
  needsLog,
  secondOf,
  shortened,
  tilesOf,
  topSeries,
  type Cell,
  type Series,
  type Tile,
} from '../../../charts/series.ts';
import {
  comparedSeries,
  endOf,
  maxWithPrevious,
  partialTitle,
  showsPrevious,
  spansOf,
  type Span,
} from '../../../charts/spans.ts';
import { zoomed } from '../../../parts/costs/groupRows.ts';
import { Boundary } from '../../../ui/Boundary.tsx';
import { Failed } from '../../../ui/Failed.tsx';
import { late } from '../../../ui/late.ts';
import { Note } from '../../../ui/Note.tsx';
import { oneOf } from '../../../ui/useAddress.ts';
import { ScaleNote, scales, type Scale, type ScaleProps } from './ScaleNote.tsx';

const SeriesChart = late(() => import('../../../charts/SeriesChart.tsx'), 'SeriesChart');
const TreemapChart = late(() => import('../../../charts/TreemapChart.tsx'), 'TreemapChart');
const HeatMap = late(() => import('../../../charts/HeatMap.tsx'), 'HeatMap');

const kinds = ['bars', 'lines', 'treemap', 'heatmap'] as const;
type Kind = (typeof kinds)[number];

export function kindIn(params: URLSearchParams): Kind {
  return oneOf(kinds, params.get('chart'), 'bars');
}

const kindTitles: Record<Kind, string> = {
  bars: 'Bars',
  lines: 'Lines',
  treemap: 'Treemap',
  heatmap: 'Heat map',
};

const hints: Record<Kind, string> = {
  bars: 'Click a bar to see what is in it. Drag to zoom.',
  lines: 'Click a line to see what is in it, or its color in the legend to hide it. Drag to zoom.',
  treemap: 'Click an area to see what is in it.',
  heatmap:
    'Each cell is an hour of an average week, so that weekdays compare; the table has the sums. Click a cell to see what is in it. Hours are UTC.',
};

const maxTiles = 200;

export const byHour = ['weekday', 'hour'];

/** For questions about a single cell or area, which a heat map or treemap cannot show. */
export function withoutChart(params: URLSearchParams): URLSearchParams {
  return withChart(params, 'bars');
}

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
  const words = metrics[costs.metric];
  const { previous_period: before, total } = costs;
  const { value, previous_value: previous } = total;
  const shownBy = kind === 'heatmap' ? byHour : kind === 'treemap' ? nestedBy(question) : costs.group_by;
  return (
    <Card withBorder component="section" aria-label="Chart" p="md" className="explore-panel">
      <Group justify="space-between" align="flex-start" mb="sm" gap="xs">
        <Stack gap={0} flex="1 1 180px" className={isStale ? 'is-stale' : undefined}>
          <Title id="explore-title" order={2} size="sm" fw={500} c="dimmed">
            {words.title}
            {shownBy.length > 0 && ` by ${groupingInWords(shownBy)}`}
          </Title>
          <Group gap="xs" align="baseline">
            <Text fz={26} lh={1.3} fw={700} className="explore-total" aria-description={words.exactly(value)}>
              {words.amount(value)}
            </Text>
            {previous !== null && before && (
              <Text size="sm" component="div" c="dimmed">
                {previous > 0 ? (
                  <>
                    <Change value={value} previous={previous} metric={costs.metric} /> vs{' '}
                    {words.amount(previous)},{' '}
                    <span className="unbroken">{beforeTitle(costs.period, before)}</span>
                  </>
                ) : (
                  'Nothing before'
                )}
              </Text>
            )}
          </Group>
        </Stack>
        <Controls kind={kind} scale={scale} onScale={setScale} />
      </Group>
      <Box className={isStale ? 'is-stale' : undefined}>
        <Boundary
          resetKey={kind}
          fallback={() => <Note>The chart failed to load. The table has its figures.</Note>}
        >
          {kind === 'treemap' ? (
            <TreemapPart {...props} />
          ) : kind === 'heatmap' ? (
            <HeatMapPart {...props} />
          ) : (
            <SeriesPart {...props} kind={kind} scale={scale} />
          )}
        </Boundary>
      </Box>
      {kind === 'lines' && usualScale === 'log' && (
        <ScaleNote costs={costs} scale={scale} onScale={setScale} />
      )}
      <Text size="xs" c="dimmed" mt={6} visibleFrom="sm">
        {hints[kind]}
      </Text>
    </Card>
  );
}

function Controls({ kind, scale, onScale }: ScaleProps & { kind: Kind }) {
  const { question, params, change } = useQuestion();
  return (
    <>
      {kind === 'lines' && (
        <Pick
          label="Scale"
          value={scale}
          options={(['linear', 'log'] as const).map((value) => ({ value, title: scales[value] }))}
          onChange={onScale}
        />
      )}
      <SegmentedControl
        size="xs"
        aria-label="Kind of chart"
        value={kind}
        onChange={(value) => change(question, withChart(params, value))}
        data={kinds.map((each) => ({ value: each, label: kindTitles[each] }))}
      />
    </>
  );
}

type SeriesProps = Props & { kind: 'bars' | 'lines'; scale: Scale };

function SeriesPart({ kind, scale, today, costs, marked, onMark }: SeriesProps) {
  const { question, change, searchOf } = useQuestion();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const { height } = useChartHeight();
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
      ? `${comparisons[question.compare]}${isCrowded ? ' (of the marked line)' : ''}`
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
        height={height}
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

function notYet({ error, refetch }: ReturnType<typeof useCosts>) {
  if (!error)
    return (
      <div className="chart-frame">
        {chartPlaceholder}
        <div className="legend" />
      </div>
    );
  return (
    <div className="chart-height">
      <Failed error={error} retry={() => void refetch()} />
    </div>
  );
}

function TreemapPart({ today, marked, onMark }: Props) {
  const { question, change, searchOf } = useQuestion();
  const { height } = useChartHeight();
  const [first = '', second] = nestedBy(question);
  const nested = useNested(question, today);
  const tiles = useMemo(() => (nested.data ? tilesOf(nested.data) : []), [nested.data]);
  if (!nested.data) return notYet(nested);
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
      legend={
        <Legend
          entries={entries}
          metric={metric}
          onMark={onMark}
          glyph="bar"
          previous={null}
          hidden={new Set()}
          onToggle={null}
        />
      }
    >
      <div aria-busy={nested.isPlaceholderData} className={nested.isPlaceholderData ? 'is-stale' : undefined}>
        <TreemapChart
          tiles={tiles}
          metric={metric}
          height={height}
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

function HeatMapPart({ today }: Props) {
  const { question, params, change } = useQuestion();
  const { height } = useChartHeight();
  const costs = useCosts(
    queryOf({ ...question, groupBy: byHour, sort: initial.sort }, today, {
      granularity: 'total',
      limit: 168,
    }),
  );
  if (!costs.data) return notYet(costs);
  const open = ({ weekday, hour }: Cell): void => {
    const others = withoutChart(params);
    const byDay = withOnly(question, { dimension: 'weekday', isNot: false, values: [weekday] });
    change(withOnly(byDay, { dimension: 'hour', isNot: false, values: [hour] }), others);
  };
  const { metric } = costs.data;
  return (
    <div
      id="explore-chart"
      className={costs.isPlaceholderData ? 'chart-height is-stale' : 'chart-height'}
      aria-busy={costs.isPlaceholderData}
    >
      <Suspense fallback={chartPlaceholder}>
        <HeatMap cells={cellsOf(costs.data)} metric={metric} height={height} onCell={open} />
      </Suspense>
    </div>
  );
}
