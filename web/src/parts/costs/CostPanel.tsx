import { Anchor, Skeleton, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { ChangeCell } from '../../analysis/Change.tsx';
import { beforeTitle } from '../../analysis/changeWords.ts';
import { useAnnotations, type Annotation, type Costs } from '../../analysis/queries.ts';
import { annotationsQueryOf, narrowed } from '../../analysis/question.ts';
import { datesTitle, rangeOf } from '../../analysis/ranges.ts';
import { comparisons, metrics, type Granularity } from '../../analysis/words.ts';
import { useChartHeight } from '../../charts/ChartFrame.tsx';
import { ChartOrTable, ChartToCome } from '../../charts/ChartOrTable.tsx';
import { Legend, type Entry } from '../../charts/Legend.tsx';
import type { Pin } from '../../charts/Pins.tsx';
import { shortened, topSeries, unusualDays } from '../../charts/series.ts';
import { SeriesChart } from '../../charts/SeriesChart.tsx';
import { endOf, showsPrevious, spansOf, spanTitle, type Span } from '../../charts/spans.ts';
import { dayColumn, numberColumn, shownColumn } from '../../ui/cells.tsx';
import type { Column } from '../../ui/columns.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { longDay } from '../../ui/figures.ts';
import { InText, Note } from '../../ui/text.tsx';
import type { View } from './costView.ts';
import { pageOfPart } from './scope.ts';

/** If at least this part of the chart is empty because costs start later, the chart says so. */
const emptyPart = 0.6;

const words: Record<Granularity, string> = { day: 'Daily', week: 'Weekly', month: 'Monthly' };

type Props = { view: View; costs: UseQueryResult<Costs>; onDay: (day: string) => void };

export function CostPanel({ view, costs, onDay }: Props) {
  const notes = useAnnotations(annotationsQueryOf(view.question, view.today));
  // Waits for both, so that the chart does not change its height. Notes that fail to load are left out.
  if (costs.data && !notes.isPending)
    return (
      <div className={costs.isPlaceholderData ? 'is-stale' : undefined} aria-busy={costs.isPlaceholderData}>
        <Filled view={view} costs={costs.data} notes={notes.data ?? []} onDay={onDay} />
      </div>
    );
  return (
    <ChartToCome title="Daily cost" query={costs}>
      <Skeleton className="pin-texts" />
    </ChartToCome>
  );
}

type FilledProps = { view: View; costs: Costs; notes: readonly Annotation[]; onDay: Props['onDay'] };

function Filled({ view, costs, notes, onDay }: FilledProps) {
  const { question, today, searchOf, onQuestion } = view;
  const [marked, setMarked] = useState<string | null>(null);
  const height = useChartHeight();
  const { metric, granularity, period, previous_period: before, total } = costs;
  if (granularity === 'total') return null;
  const title = `${words[granularity]} ${metrics[metric].title.toLowerCase()}`;
  const series = shortened(topSeries(costs));
  const spans = spansOf(costs);
  const pins = pinsOf(notes);
  const warning = costs.anomaly_threshold_percent;
  const warnings = new Map(
    unusualDays(total).map((start) => [start, `Unusual: more than ${warning}% over normal`]),
  );
  const open = (first: string, last: string): void => {
    if (granularity === 'day' && first === last) onDay(first);
    else
      onQuestion({
        ...question,
        range: rangeOf({ from: first, to: endOf(last, granularity, period) }, today),
      });
  };
  const hasPrevious = showsPrevious(spans) && question.compare !== 'none';
  const first = spans.findIndex((span) => span.total > 0);
  const isYoung = first > spans.length * emptyPart && !total.previous_value;
  return (
    <ChartOrTable
      title={title}
      label={labelOf(costs, spans)}
      height={height}
      chart={
        <SeriesChart
          kind="bars"
          series={series}
          spans={spans}
          metric={metric}
          granularity={granularity}
          period={period}
          today={today}
          pins={pins}
          warnings={warnings}
          marked={marked}
          onSpans={open}
        />
      }
      legend={
        <>
          {isYoung && <BeforeFirst start={spans[first]!.start} part={first / spans.length} />}
          <Legend
            entries={(series.length > 1 ? series : []).map((each): Entry => ({
              ...each,
              href:
                pageOfPart(each.key, question) ??
                (each.narrow && `/explore${searchOf(narrowed(question, each.narrow))}`),
            }))}
            metric={metric}
            glyph="bar"
            previous={
              hasPrevious ? `${comparisons[question.compare]}, ${beforeTitle(period, before!)}` : null
            }
            warning={warnings.size > 0 ? 'Unusual day' : null}
            onMark={setMarked}
          />
        </>
      }
      table={
        <CostTable title={title} costs={costs} spans={spans} today={today} height={height} onDay={onDay} />
      }
    >
      <PinTexts pins={pins} exploreHref={`/explore${searchOf(question)}`} isByDay={granularity === 'day'} />
    </ChartOrTable>
  );
}

/** Suggests, in the empty part of a chart, how to fill it. */
function BeforeFirst({ start, part }: { start: string; part: number }) {
  return (
    <div className="chart-empty-part" style={{ width: `${part * 100}%` }}>
      <Text size="sm" fw={550}>
        Costs start on {longDay(start)}
      </Text>
      <Note>
        New runs appear here as they complete. <InText href="/history">Backfill past runs</InText>
      </Note>
    </div>
  );
}

/** Numbers the annotations from the first day to the last. */
function pinsOf(notes: readonly Annotation[]): Pin[] {
  return notes
    .toSorted((a, b) => a.start.localeCompare(b.start))
    .map(({ start, end, text }, index) => ({ number: index + 1, start, end, text }));
}

type TextsProps = { pins: readonly Pin[]; exploreHref: string; isByDay: boolean };

/** Limits that keep the annotations to a few lines until someone expands them. */
const [maxPins, maxLetters] = [4, 140];

function PinTexts({ pins, exploreHref, isByDay }: TextsProps) {
  const [showsAll, setShowsAll] = useState(false);
  const isCut = !showsAll && (pins.length > maxPins || pins.some(({ text }) => text.length > maxLetters));
  return (
    <div className="pin-texts">
      {pins.length > 0 && (
        <ol aria-label="Annotations">
          {(isCut ? pins.slice(0, maxPins) : pins).map(({ number, start, end, text }) => (
            <li key={number}>
              <span className="pin-badge" aria-hidden="true">
                {number}
              </span>
              <Note span>{datesTitle({ from: start, to: end }).replace(/, \d{4}$/, '')}</Note>{' '}
              {isCut && text.length > maxLetters ? `${text.slice(0, maxLetters).trimEnd()}…` : text}
            </li>
          ))}
          {isCut && (
            <li>
              <Anchor component="button" type="button" inherit onClick={() => setShowsAll(true)}>
                {pins.length > maxPins ? `Show all ${pins.length} annotations` : 'Show all of it'}
              </Anchor>
            </li>
          )}
        </ol>
      )}
      {pins.length === 0 && (
        <Note>
          {isByDay ? 'Click a day for its details' : 'Click a bar to see its days'}, drag to zoom, or{' '}
          <InText href={exploreHref}>explore costs</InText>.
        </Note>
      )}
    </div>
  );
}

function labelOf({ metric, granularity, total }: Costs, spans: readonly Span[]): string {
  const { title, amount } = metrics[metric];
  const highest = spans.toSorted((a, b) => b.total - a.total)[0];
  const unusual = unusualDays(total).map(longDay);
  return [
    `${title} by ${granularity}, ${amount(total.value)} in total`,
    ...(highest?.total ? [`highest on ${longDay(highest.start)} at ${amount(highest.total)}`] : []),
    ...(unusual.length > 0 ? [`unusual on ${unusual.join(' and ')}`] : []),
  ].join(', ');
}

type TableProps = {
  title: string;
  costs: Costs;
  spans: readonly Span[];
  today: string;
  height: number;
  onDay: (day: string) => void;
};

/** Newest first. */
function CostTable({ title, costs, spans, today, height, onDay }: TableProps) {
  const { metric, period, granularity } = costs;
  const { cell, exactly } = metrics[metric];
  const isByDay = granularity === 'day';
  const isCompared = spans.some(({ previous }) => previous !== null);
  const amount = (value: number) => <span aria-description={exactly(value)}>{cell(value)}</span>;
  const columns: Column<Span>[] = [
    isByDay
      ? dayColumn(({ start }) => start, onDay)
      : shownColumn(
          'From (UTC)',
          ({ start }) => start,
          (start) => spanTitle(start, granularity as Granularity, period),
        ),
    numberColumn('Cost', ({ total }) => total, amount, { isMain: true }),
  ];
  if (isCompared)
    columns.push(
      {
        title: isByDay ? 'Same weekday before' : 'Before',
        isNumber: true,
        value: ({ previous }) => previous,
        cell: ({ previous, comparedWith }) =>
          previous === null ? (
            '–'
          ) : (
            <span title={comparedWith ? longDay(comparedWith) : undefined}>{amount(previous)}</span>
          ),
      },
      {
        title: 'Change',
        isNumber: true,
        value: ({ total, previous }) => (previous === null ? null : total - previous),
        cell: ({ start, total, previous }) =>
          start === today
            ? 'so far'
            : previous !== null && <ChangeCell value={total} previous={previous} metric={metric} />,
      },
    );
  return (
    <DataTable
      label={title}
      minWidth={isCompared ? 480 : 280}
      maxHeight={height}
      rows={spans.toReversed()}
      keyOf={({ start }) => start}
      columns={columns}
    />
  );
}
