import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { count, longDay } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { SmallButton } from '../../../ui/rights.tsx';
import { DaysChoice } from '../../../ui/Segments.tsx';
import { Note } from '../../../ui/text.tsx';
import { breaking, Columns, WideTable } from '../../../ui/WideTable.tsx';
import { completenessQuery, type RepositoryCompleteness } from './queries.ts';
import { shareText } from './words.ts';

const knownDays = ['7', '30', '90'] as const;

/** `isFirst` means that there was no backfill yet, so that the first nightly check is awaited. */
export function Completeness({ isFirst }: { isFirst: boolean }) {
  const [days, setDays] = useState<(typeof knownDays)[number]>('30');
  const [page, setPage] = useState(1);
  const completeness = useQuery(completenessQuery(Number(days), page));
  const choose = (chosen: typeof days) => {
    setDays(chosen);
    setPage(1);
  };
  if (isFirst && days === '30' && completeness.data?.pagination.total === 0) return null;
  return (
    <Panel title="Completeness" aside={<DaysChoice known={knownDays} value={days} onChange={choose} />}>
      <Note>
        Share of GitHub’s runs that had arrived by themselves. Backfills and nightly checks add the rest.
      </Note>
      <Loaded query={completeness} height={160}>
        {({ data, pagination }) =>
          pagination.total === 0 ? (
            <Text size="sm">No comparison with GitHub in this period.</Text>
          ) : (
            <Stack gap="xs">
              <WideTable label="Completeness by repository" minWidth={680}>
                <Columns
                  texts={['Repository', 'Days']}
                  numbers={['Listed', 'Recorded', 'Completed', 'Added', 'Unread', 'Complete']}
                />
                <tbody>
                  {data.map((row) => (
                    <Repository key={row.repository} row={row} />
                  ))}
                </tbody>
              </WideTable>
              <Pager pagination={pagination} one="repository" many="repositories" onPage={setPage} />
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
          <SmallButton
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Hide' : 'Show'} ${row.days.length} days of ${row.repository}`}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? 'Hide' : 'Show'} {row.days.length}
          </SmallButton>
        </td>
        <Counts counts={row} />
      </tr>
      {isOpen &&
        row.days.toReversed().map((ofDay) => (
          <tr key={ofDay.day}>
            <th scope="row" style={{ paddingInlineStart: 'var(--mantine-spacing-xl)' }}>
              {longDay(ofDay.day)}
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
