import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { DaysChoice } from '../../../ui/DaysChoice.tsx';
import { count } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { breaking, Columns, WideTable } from '../../../ui/WideTable.tsx';
import { completenessQuery, type RepositoryCompleteness } from './queries.ts';
import { shareText } from './words.ts';

const knownDays = ['7', '30', '90'] as const;

/** How many of the runs that GitHub lists were known before anybody looked for them. */
export function Completeness() {
  const [days, setDays] = useState<(typeof knownDays)[number]>('30');
  const [page, setPage] = useState(1);
  const completeness = useQuery(completenessQuery(Number(days), page));
  const choose = (chosen: typeof days) => {
    setDays(chosen);
    setPage(1);
  };
  return (
    <Panel
      title="Completeness of deliveries"
      aside={<DaysChoice known={knownDays} value={days} onChange={choose} />}
    >
      <Text size="sm" c="dimmed">
        Of the runs that GitHub lists, those known before a backfill or the nightly check looked. What was
        missing has been added.
      </Text>
      <Loaded query={completeness} height={160}>
        {({ data, pagination }) =>
          pagination.total === 0 ? (
            <Text size="sm">Nothing has been compared with GitHub in this time yet.</Text>
          ) : (
            <Stack gap="xs">
              <WideTable label="Completeness by repository" minWidth={680}>
                <Columns
                  texts={['Repository', 'Days']}
                  numbers={['At GitHub', 'Known before', 'Completed', 'Added', 'Not read', 'Complete']}
                />
                <tbody>
                  {data.map((row) => (
                    <Repository key={row.repository} row={row} />
                  ))}
                </tbody>
              </WideTable>
              <Pager pagination={pagination} of="repositories" onPage={setPage} />
            </Stack>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Repository({ row }: { row: RepositoryCompleteness }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Fragment>
      <tr>
        <th scope="row" style={breaking}>
          {row.repository}
        </th>
        <td>
          <Button
            size="compact-sm"
            variant="default"
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Hide' : 'Show'} ${row.days.length} days of ${row.repository}`}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? 'Hide' : 'Show'} {row.days.length}
          </Button>
        </td>
        <Counts counts={row} />
      </tr>
      {isOpen &&
        row.days.toReversed().map((ofDay) => (
          <tr key={ofDay.day}>
            <th scope="row" style={{ paddingInlineStart: 'var(--mantine-spacing-xl)' }}>
              {ofDay.day}
            </th>
            <td />
            <Counts counts={ofDay} />
          </tr>
        ))}
    </Fragment>
  );
}

function Counts({ counts }: { counts: Omit<RepositoryCompleteness, 'repository' | 'days'> }) {
  return (
    <>
      <td className="number">{count(counts.runs_listed)}</td>
      <td className="number">{count(counts.runs_had)}</td>
      <td className="number">{count(counts.runs_completed)}</td>
      <td className="number">{count(counts.runs_added)}</td>
      <td className="number">{count(counts.runs_unread)}</td>
      <td className="number">
        <Text size="sm" fw={counts.completeness === 1 ? 400 : 700}>
          {shareText(counts.completeness)}
        </Text>
      </td>
    </>
  );
}
