import { Button } from '@mantine/core';
import { useState } from 'react';
import { useCosts, type Costs } from '../../../analysis/queries.ts';
import { narrowed, queryOf } from '../../../analysis/question.ts';
import { dimensions, groupingInWords, metrics, type Dimension } from '../../../analysis/words.ts';
import { othersTitle, titleOf, type Group } from '../../../charts/series.ts';
import type { View } from '../../../parts/costs/costView.ts';
import {
  percentColumn,
  trendColumn,
  valueColumn,
  changeColumns,
} from '../../../parts/costs/groupColumns.tsx';
import { useMediaQuery } from '../../../ui/browserState.ts';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { count, typicalDuration } from '../../../ui/figures.ts';
import { Loaded, Loading } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Segments } from '../../../ui/Segments.tsx';
import { InText, Note, RowLink } from '../../../ui/text.tsx';
import { useDurations, type Durations } from './queries.ts';

const { job, runner, branch, event, actor } = dimensions;
const parts = { job, runner, branch, event, actor };
type Part = keyof typeof parts;

const many = 50;
/** Rows before "show all", so that the runs stay near. */
const fewRows = 8;

export function Parts({ view: { question, today, searchOf } }: { view: View }) {
  const [part, setPart] = useState<Part>('job');
  const [showsAll, setShowsAll] = useState(false);
  const asked = { ...question, groupBy: [part] };
  const costs = useCosts(queryOf(asked, today, { limit: many }));
  const times = useDurations(question, today, { of: 'jobs', group_by: part });
  const hrefOf = ({ narrow }: Group) => `/explore${searchOf(narrowed(asked, narrow))}`;
  const height = useMediaQuery('(width < 48em)') ? 661 : 421;
  const isStale = costs.isPlaceholderData;
  return (
    <Panel
      title={`Cost by ${groupingInWords([part])}`}
      aside={<Segments label="Cost by" options={parts} value={part} onChange={setPart} />}
    >
      <Loaded query={costs} height={height}>
        {(data) =>
          times.isPending ? (
            <Loading height={height} />
          ) : (
            <div className={isStale ? 'is-stale' : undefined} aria-busy={isStale}>
              <DataTable
                key={`${data.group_by.join()} ${data.metric}`}
                label={`Cost by ${data.group_by.join()}`}
                minWidth={820}
                rows={data.groups}
                maxRows={showsAll ? undefined : fewRows}
                columns={columnsOf(data, times.data, hrefOf)}
                keyOf={titleOf}
                hrefOf={hrefOf}
                order={{ column: metrics[data.metric].title, isDescending: true }}
                isPart={data.other !== null}
                isStacked
              />
              {data.groups.length > fewRows && !showsAll && (
                <Button variant="subtle" size="compact-sm" mt="xs" ml={-8} onClick={() => setShowsAll(true)}>
                  Show all {data.groups.length}
                </Button>
              )}
            </div>
          )
        }
      </Loaded>
    </Panel>
  );
}

type Times = Omit<Durations['groups'][number], 'by'>;

function columnsOf(
  data: Costs,
  times: Durations | undefined,
  hrefOf: (group: Group) => string,
): Column<Group>[] {
  const { other, group_by: by } = data;
  // While another choice loads, the previous times do not fit.
  const known = times?.group_by[0] === by[0] ? times : undefined;
  const timesOf = new Map(known?.groups.map((each) => [each.by[0]!.value, each]));
  const number = (title: string, of: (part: Times) => number | null, shown: (value: number) => string) => {
    const cell = (part: Times | undefined) => {
      const value = part ? of(part) : null;
      return value === null ? '–' : shown(value);
    };
    const partOf = ({ by: [value] }: Group) => timesOf.get(value!.value);
    return {
      title,
      isNumber: true,
      className: 'row-labeled',
      value: (group: Group) => {
        const part = partOf(group);
        return part ? of(part) : null;
      },
      cell: (group: Group) => cell(partOf(group)),
      total: cell(known?.total),
    };
  };
  return [
    {
      title: dimensions[by[0] as Dimension],
      className: 'part-name',
      value: titleOf,
      cell: (group) => <Name group={group} href={hrefOf(group)} />,
      total: other ? `With ${othersTitle(other.groups)}` : undefined,
    },
    valueColumn(data, { hasTotal: true }),
    ...changeColumns(data, { hasTotal: true }),
    percentColumn,
    trendColumn(data, 'list-trend'),
    // Skipped jobs have no times, so they are not counted here.
    number('Jobs that ran', ({ count: jobs }) => jobs, count),
    number('p50', ({ duration_p50_seconds: seconds }) => seconds, typicalDuration),
    number('p95', ({ duration_p95_seconds: seconds }) => seconds, typicalDuration),
    {
      ...number('Queue p95', ({ queue_p95_seconds: seconds }) => seconds, typicalDuration),
      isHiddenOnPhones: true,
    },
  ];
}

function Name({ group, href }: { group: Group; href: string }) {
  const [{ dimension, value }] = group.by as [Group['by'][number]];
  return (
    <>
      <RowLink href={href}>{titleOf(group)}</RowLink>
      {dimension === 'runner' && value === null && (
        <Note size="xs" fw={400}>
          counts as $0. <InText href="/settings/pricing">Set a price</InText>
        </Note>
      )}
    </>
  );
}
