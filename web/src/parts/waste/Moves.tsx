import { Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Answer, bodyQuery } from '../../api/query.ts';
import { moneyColumn, numberColumn } from '../../ui/cells.tsx';
import type { Column, Order } from '../../ui/columns.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { count, countOf } from '../../ui/figures.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { LongText, Money, Note } from '../../ui/text.tsx';
import '../../ui/commandFold.css';
import { NamedLink } from '../workflows/NamedLink.tsx';

const path = '/api/v1/moves';
const perPage = 10;

type Moves = Answer<typeof path>;
type Move = Moves['moves'][number];
type Job = Move['jobs'][number];

const bySaving: Order = { column: 'Saves', isDescending: true };

type Props = { of: { repo?: string } | { workflow_id: string } };

/** Which jobs cost less on another runner. Of the last 30 days, whatever period the page shows. */
export function Moves({ of }: Props) {
  const [page, setPage] = useState(1);
  const moves = useQuery({
    ...bodyQuery(path, { query: { ...of, page, per_page: perPage } }),
    placeholderData: keepPreviousData,
    staleTime: 600_000,
  });
  return (
    <Panel title="Other runners">
      <Loaded query={moves} height={320}>
        {({ data, pagination }) => (
          <Stack gap="sm">
            <Summary data={data} />
            {data.moves.length > 0 && (
              <DataTable
                label="Moves to other runners"
                rows={data.moves}
                columns={data.moves.some(({ speed }) => speed) ? columns : columns.filter(isOfTrials)}
                order={bySaving}
                keyOf={({ state, from, to }) => [state, from.runner, to.runner].join(' ')}
                minWidth={720}
                isStacked
                isPart={pagination.total > perPage}
                details={{
                  of: (move) => <Details move={move} />,
                  label: ({ from, to }, isOpen) =>
                    `${isOpen ? 'Hide' : 'Show'} jobs from ${from.title} to ${to.title}`,
                }}
              />
            )}
            <Pager pagination={pagination} one="move" onPage={setPage} />
            {data.must_stay.map(({ text }) => (
              <Note key={text}>{text}</Note>
            ))}
            <details className="command-fold">
              <summary>How moves are measured</summary>
              {data.assumptions.map((text) => (
                <Note key={text} size="xs" mt={4}>
                  {text}
                </Note>
              ))}
            </details>
          </Stack>
        )}
      </Loaded>
    </Panel>
  );
}

function Summary({ data: { saving_per_month: saving, moves, must_stay: staying } }: { data: Moves }) {
  if (saving > 0)
    return (
      <Text fz={21} lh={1.3} fw={700}>
        Moving saves <Money amount={saving} /> a month
      </Text>
    );
  return (
    <Text size="sm">
      {moves.length + staying.length === 0
        ? 'No job costs enough to be moved.'
        : 'No measured move saves at least 10% for sure.'}
    </Text>
  );
}

const stateWords: Record<Move['state'], string> = {
  move: 'Move',
  uncertain: 'Perhaps',
  trial: 'Try',
  covered: 'Saves nothing now',
  stay: 'Keep',
};

/** Only a measured move has the others. */
const isOfTrials = ({ title }: Column<Move>) => title !== 'Then' && title !== 'Time there';

const columns: readonly Column<Move>[] = [
  {
    title: 'Runner',
    value: ({ from }) => from.title,
    cell: ({ state, from, to, job_count: jobs }) => (
      <>
        {from.title} to {to.title}
        <Note size="xs" fw={400} className="row-note">
          {stateWords[state]} · {countOf(jobs, 'job')}
          {to.price_source === 'hint' && ' · price is a hint'}
        </Note>
      </>
    ),
  },
  numberColumn(
    'Minutes',
    ({ minutes }) => minutes,
    (minutes) => count(Math.round(minutes)),
    { isHiddenOnPhones: true },
  ),
  moneyColumn('Now', ({ cost_now: cost }) => cost),
  moneyColumn('Then', ({ cost_then: cost }) => cost),
  numberColumn(
    'Time there',
    ({ speed }) => speed?.factor ?? null,
    (factor) => `× ${factor.toFixed(2)}`,
  ),
  numberColumn(
    'Worth it up to',
    ({ break_even: most }) => most,
    (most) => `× ${most.toFixed(1)}`,
    { isHiddenOnPhones: true },
  ),
  moneyColumn('Saves', ({ saving_per_month: saving }) => saving || null, { isMain: true }),
];

function Details({ move: { text, jobs, job_count: all, to } }: { move: Move }) {
  return (
    <Stack gap={6}>
      <LongText>{text}</LongText>
      {to.price_note !== null && <Note>Price: {to.price_note}</Note>}
      <DataTable
        label="Jobs of this move"
        rows={jobs}
        columns={jobColumns}
        order={{ column: 'Now', isDescending: true }}
        keyOf={({ workflow_id: id, job }) => `${id} ${job}`}
        minWidth={560}
        isStacked
      />
      {all > jobs.length && <Note>And {countOf(all - jobs.length, 'job')} that cost less.</Note>}
    </Stack>
  );
}

const jobColumns: readonly Column<Job>[] = [
  {
    title: 'Job',
    value: ({ job }) => job,
    cell: ({ workflow_id: id, workflow, repository, job }) => (
      <NamedLink href={`/workflows/${id}`} workflow={job} note={`${repository} · ${workflow}`} />
    ),
  },
  moneyColumn('Now', ({ cost_now: cost }) => cost, { isMain: true }),
  moneyColumn('Then', ({ cost_then: cost }) => cost),
  {
    title: 'Time there',
    value: ({ speed }) => speed?.factor ?? null,
    isNumber: true,
    cell: ({ speed }) =>
      speed ? `× ${speed.factor.toFixed(2)} (${speed.low.toFixed(2)}–${speed.high.toFixed(2)})` : '–',
  },
  {
    title: 'Runs compared',
    value: ({ speed }) => speed?.runs_after ?? null,
    isNumber: true,
    cell: ({ speed }) => (speed ? `${speed.runs_before} and ${speed.runs_after}` : '–'),
  },
];
