import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Pick } from '../../../analysis/Pick.tsx';
import { parametersOf, initial } from '../../../analysis/question.ts';
import { rangeOf } from '../../../analysis/ranges.ts';
import { numberColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { CsvButton } from '../../../ui/CsvButton.tsx';
import { DataTable } from '../../../ui/DataTable.tsx';
import { count, countOf, longDay, signed } from '../../../ui/figures.ts';
import { Pager } from '../../../ui/Pager.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { SearchField } from '../../../ui/SearchField.tsx';
import { Money, Note, RepositoryName, RowLink, sharedOwner } from '../../../ui/text.tsx';
import { repositoryAddress } from '../../../ui/useAddress.ts';
import { groupingWords, isNarrowed, type Filter, type Grouping } from './filter.ts';
import type { Reconciliation, Row, Sums } from './queries.ts';
import { type CauseWords, towardBill, wordsIn } from './steps.ts';
import { causesOf } from './words.ts';

type Props = {
  found: Reconciliation;
  filter: Filter;
  onChange: (changes: Record<string, string | null>, options?: { replace?: boolean }) => void;
};

export function RowsPanel({ found, filter, onChange }: Props) {
  const { data, totals, pagination, period } = found;
  const hasDifference = data.some(({ net_difference: difference }) => difference !== 0);
  const owner = sharedOwner(data.flatMap(({ repository }) => repository || []));
  const hrefOf = (row: Row) => addressOf(row, period);
  const isPart = pagination.total > data.length;
  const [named, ...others] = columnsOf({ by: filter.by, totals, owner, hrefOf, words: wordsIn(found) });
  const columns = [
    { ...named!, total: isPart ? `Total of ${countOf(pagination.total, 'row')}` : undefined },
    ...others,
  ];
  return (
    <Panel
      title="Runcost vs. bill"
      aside={
        <CsvButton
          rows={data}
          columns={columns}
          name={`runcost-bill-${filter.month ?? 'all'}-by-${filter.by}`}
        />
      }
    >
      <Filters filter={filter} onChange={onChange} />
      {data.length > 0 ? (
        <DataTable
          key={filter.by}
          label="Runcost vs. bill"
          rows={data}
          columns={columns.filter(isTellingIn(data))}
          keyOf={({ day, sku, repository }) => JSON.stringify([day, sku, repository])}
          minWidth={700}
          hrefOf={hrefOf}
          order={{
            column: filter.by === 'day' ? 'Day' : hasDifference ? 'Difference' : 'Billed',
            isDescending: true,
          }}
          isStacked
        />
      ) : (
        <Note py="md">
          {pagination.total > 0
            ? 'Nothing on this page.'
            : period === null
              ? 'These reports cover days outside your plan’s retention.'
              : isNarrowed(filter)
                ? 'No matching rows.'
                : 'Neither Runcost nor the bill has any GitHub Actions minutes.'}
        </Note>
      )}
      {!hasDifference && <FreeMinutes rows={data} />}
      {pagination.total > pagination.per_page && (
        <Pager
          pagination={pagination}
          one="row"
          onPage={(page) => onChange({ page: page === 1 ? null : String(page) })}
        />
      )}
    </Panel>
  );
}

function Filters({ filter, onChange }: Omit<Props, 'found'>) {
  return (
    <Group gap="xs">
      <Pick label="Rows" value={filter.by} options={groupingWords} onChange={(by) => onChange({ by })} />
      <Group gap="xs" wrap="nowrap" className="bill-search">
        <SearchField
          isCompact
          label="Repository"
          placeholder="Repository"
          value={filter.repository}
          onSettled={(repository) => onChange({ repository }, { replace: true })}
        />
        <SearchField
          isCompact
          label="SKU"
          placeholder="SKU"
          value={filter.sku}
          onSettled={(sku) => onChange({ sku }, { replace: true })}
        />
      </Group>
      {isNarrowed(filter) && (
        <Button size="xs" variant="subtle" onClick={() => onChange({ sku: null, repository: null })}>
          Clear filters
        </Button>
      )}
    </Group>
  );
}

function FreeMinutes({ rows }: { rows: readonly Row[] }) {
  if (hasSameMinutes(rows)) return null;
  return <Note>Minutes on your own or free runners cost nothing, so they are not on the bill.</Note>;
}

const hasSameMinutes = (rows: readonly Row[]): boolean =>
  rows.every(({ our_minutes: ours, bill_minutes: billed }) => ours === billed);

/** Columns that are empty or the same in all rows appear only in the CSV. */
function isTellingIn(rows: readonly Row[]): (column: Column<Row>) => boolean {
  const isHidden: Record<string, boolean> = {
    Difference: rows.every(({ net_difference: difference }) => difference === 0),
    'Minutes counted': hasSameMinutes(rows),
    Causes: rows.every((row) => causesOf(row).length === 0),
    Unexplained: rows.every(({ net_unexplained: rest }) => rest === 0),
  };
  return ({ title }) => !isHidden[title];
}

type Name = 'day' | 'sku' | 'repository';
const headings: Record<Name, string> = { day: 'Day', sku: 'SKU', repository: 'Repository' };

/** The repository's page for the compared days, if Runcost has recorded jobs of it. */
function addressOf({ repository, our_minutes: ours }: Row, period: Reconciliation['period']): string | null {
  if (!repository || ours === 0 || period === null) return null;
  const today = new Date().toISOString().slice(0, 10);
  const range = rangeOf({ from: period.start, to: period.end }, today);
  return `${repositoryAddress(repository)}?${parametersOf({ ...initial, range })}`;
}

type Shown = {
  by: Grouping;
  totals: Sums;
  owner: string | null;
  hrefOf: (row: Row) => string | null;
  words: CauseWords;
};

function columnsOf({ by, totals, owner, hrefOf, words }: Shown): Column<Row>[] {
  const names = (['repository', 'sku', 'day'] as const).filter((name) => by === 'all' || by === name);
  type Of = (row: Row | Sums) => number;
  const figure = (title: string, value: Of, shown: (amount: number) => ReactNode): Column<Row> => ({
    ...numberColumn(title, value, shown),
    total: shown(value(totals)),
  });
  const amount = (title: string, value: Of) => figure(title, value, (dollars) => <Money amount={dollars} />);
  // A plus means that the bill is higher, as in the waterfall.
  const signedAmount = (title: string, value: Of) => figure(title, value, signed);
  const minutes = (title: string, value: Of) => figure(title, value, count);
  return [
    ...names.map((name): Column<Row> => ({
      title: headings[name],
      value: (row) => row[name] || null,
      cell: (row) => {
        const href = name === 'repository' ? hrefOf(row) : null;
        const text = <RepositoryName name={textOf(row, name)} owner={name === 'repository' ? owner : null} />;
        if (href === null) return text;
        return <RowLink href={href}>{text}</RowLink>;
      },
    })),
    {
      ...signedAmount('Difference', (row) => towardBill(row.net_difference)),
      className: 'row-labeled',
      // Sorts by the size of the difference, in either direction.
      value: (row) => Math.abs(row.net_difference),
      csv: (row) => String(towardBill(row.net_difference)),
    },
    { ...amount('List cost', ({ our_cost: ours }) => ours), className: 'row-labeled' },
    { ...amount('Net cost', ({ our_net: ours }) => ours), isHiddenOnPhones: true },
    { ...amount('Billed', ({ bill_net: net }) => net), isMain: true },
    {
      title: 'Causes',
      csv: (row) =>
        causesOf(row)
          .map(([cause, each]) => `${words.get(cause)!.title} ${towardBill(each)}`)
          .join('; '),
      cell: (row) => <Causes row={row} words={words} />,
    },
    {
      ...signedAmount('Unexplained', ({ net_unexplained: rest }) => towardBill(rest)),
      className: 'row-labeled',
    },
    { ...minutes('Minutes counted', ({ our_minutes: ours }) => ours), isHiddenOnPhones: true },
    {
      ...minutes('Minutes billed', ({ bill_minutes: billed }) => billed),
      className: 'row-labeled',
      cell: (row) => <BilledMinutes row={row} />,
    },
  ];
}

function BilledMinutes({ row: { our_minutes: ours, bill_minutes: billed } }: { row: Row }) {
  if (ours === billed) return count(billed);
  return (
    <>
      {count(billed)}{' '}
      <Text span fz="xs" className="minutes-apart">
        ({count(Math.abs(billed - ours))} {billed > ours ? 'more' : 'fewer'})
      </Text>
    </>
  );
}

function textOf(row: Row, name: Name): string {
  const text = row[name] ?? '';
  if (text === '') return 'No repository';
  return name === 'day' ? longDay(text) : text;
}

function Causes({ row, words }: { row: Row; words: CauseWords }) {
  const causes = causesOf(row);
  if (causes.length === 0) return '–';
  return (
    <Stack gap={0}>
      {causes.map(([cause, amount]) => (
        <Text key={cause} size="sm">
          {words.get(cause)!.title} {signed(towardBill(amount))}
        </Text>
      ))}
    </Stack>
  );
}
