import { Badge, Box, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { useCosts, type Costs } from '../../../analysis/queries.ts';
import { booksQuery } from '../../../api/queries.ts';
import { numberColumn, textColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { CsvButton } from '../../../ui/CsvButton.tsx';
import { DataTable } from '../../../ui/DataTable.tsx';
import { count, countOf } from '../../../ui/figures.ts';
import { Failed, Loading } from '../../../ui/Loaded.tsx';
import { Empty, Panel } from '../../../ui/Panel.tsx';
import { AllowedButton, SmallButton } from '../../../ui/rights.tsx';
import { SearchField } from '../../../ui/SearchField.tsx';
import { Segments } from '../../../ui/Segments.tsx';
import { Money, Note } from '../../../ui/text.tsx';
import './pricing.css';
import { oneOf, useAddress } from '../../../ui/useAddress.ts';
import { kindRows, shownRows, shows, type KindRow, type Show, type Usage } from './kinds.ts';
import { PriceCell } from './PriceCell.tsx';
import { rulesQuery, runnerKindsQuery, unpricedQuery } from './queries.ts';
import { RuleForm, type RuleStart } from './RuleForm.tsx';
import { rateInCells } from './words.ts';

const days = 30;
const showLabels: Record<Show, string> = {
  used: 'In use',
  own: 'Own prices',
  unpriced: 'Unpriced',
  all: 'All',
};

type PanelProps = { rows: ReturnType<typeof useRows>; reason: string | null };

export function KindsPanel({ rows, reason }: PanelProps) {
  const [added, setAdded] = useState<RuleStart | null>(null);
  return (
    <Panel
      title="Runner prices"
      aside={
        <AllowedButton
          size="compact-sm"
          reason={reason}
          onClick={() => setAdded({ match: 'label', pattern: '', by: 'rate' })}
        >
          Add runner
        </AllowedButton>
      }
    >
      {rows.error ? (
        <Failed error={rows.error} retry={rows.retry} />
      ) : rows.data ? (
        <Kinds rows={rows.data} hidden={rows.hidden} reason={reason} onMap={setAdded} />
      ) : (
        <Loading height={480} />
      )}
      {added && <RuleForm rule={null} start={added} onClose={() => setAdded(null)} />}
    </Panel>
  );
}

export function useRows() {
  const kinds = useQuery(runnerKindsQuery);
  const books = useQuery(booksQuery);
  const rules = useQuery(rulesQuery);
  const unpriced = useQuery(unpricedQuery(days, 1));
  const asked = { group_by: 'runner', days, granularity: 'total', limit: 1_000 } as const;
  const cost = useCosts({ ...asked, metric: 'cost' });
  const minutes = useCosts({ ...asked, metric: 'minutes' });
  const queries = [kinds, books, rules, unpriced, cost, minutes];
  const data = useMemo(() => {
    if (!kinds.data || !books.data || !rules.data || !unpriced.data || !cost.data || !minutes.data)
      return null;
    return kindRows({
      kinds: kinds.data,
      books: books.data,
      rules: rules.data,
      unpriced: unpriced.data.data,
      usage: usageOf(cost.data, minutes.data),
      today: new Date().toISOString().slice(0, 10),
    });
  }, [kinds.data, books.data, rules.data, unpriced.data, cost.data, minutes.data]);
  return {
    data,
    error: data ? null : (queries.find(({ error }) => error)?.error ?? null),
    retry: () => queries.forEach((query) => void query.refetch()),
    /** Unpriced labels on later pages. */
    hidden: unpriced.data ? unpriced.data.pagination.total - unpriced.data.data.length : 0,
  };
}

function usageOf(cost: Costs, minutes: Costs): Usage {
  const of = ({ groups }: Costs) =>
    new Map(
      groups.flatMap(({ by: [runner], value }) => (runner?.value ? [[runner.value, value] as const] : [])),
    );
  const costs = of(cost);
  return new Map(
    [...of(minutes)].map(([kind, used]) => [kind, { minutes: used, cost: costs.get(kind) ?? 0 }]),
  );
}

type Props = { rows: KindRow[]; hidden: number; reason: string | null; onMap: (start: RuleStart) => void };

function Kinds({ rows, hidden, reason, onMap }: Props) {
  const [address, change] = useAddress();
  const isAnyUsed = shownRows(rows, 'used', '').length > 0;
  const show = oneOf(shows, address.get('show'), isAnyUsed ? 'used' : 'all');
  const search = address.get('q') ?? '';
  const shown = shownRows(rows, show, search);
  const hasOwn = rows.some(({ own }) => own !== null);
  const columns = columnsOf(reason, onMap);
  // Without own prices, all prices are list prices.
  const visible = columns.filter(({ title }) => title !== 'Own price' && (hasOwn || title !== 'List price'));
  const clear = () => change({ show: null, q: null });
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <SearchField
          isCompact
          label="Search"
          placeholder="Search runners"
          value={search}
          onSettled={(q) => change({ q }, { replace: true })}
        />
        <Segments
          label="Show"
          options={showLabels}
          value={show}
          onChange={(value) => change({ show: value })}
        />
        <Box ml="auto">
          <CsvButton rows={shown} columns={columns} name="runner-prices" />
        </Box>
      </Group>
      {shown.length === 0 ? (
        <Empty
          title={show === 'unpriced' && search === '' ? 'All runners have a price' : 'No matching runners'}
        >
          <SmallButton onClick={clear}>Clear filters</SmallButton>
        </Empty>
      ) : (
        <DataTable
          label="Runner prices"
          minWidth={440}
          rows={shown}
          columns={visible}
          keyOf={({ key }) => key}
          isStacked
        />
      )}
      <Note>
        {countOf(shown.length, 'runner')} of {count(rows.length)}. Usage of the last {days} days.
        {hidden > 0 && ` ${countOf(hidden, 'more unpriced runner')} below.`}
      </Note>
    </Stack>
  );
}

function columnsOf(reason: string | null, onMap: Props['onMap']): Column<KindRow>[] {
  const rate = (price: number | null) => (price === null ? '–' : rateInCells(price));
  return [
    { title: 'Runner', cell: (row) => <Name row={row} />, value: ({ name }) => name, className: 'kind-name' },
    {
      ...textColumn('System', ({ provider }) => provider, { isHiddenOnPhones: true }),
      cell: ({ provider }) => provider ?? 'Any',
    },
    {
      title: 'List price',
      // Without an own price, the list price equals the price beside it.
      cell: ({ list, own }) =>
        own !== null && (
          <Text span inherit c="dimmed">
            {rate(list)}
          </Text>
        ),
      value: ({ list }) => list,
      isHiddenOnPhones: true,
      isNumber: true,
    },
    numberColumn('Own price', ({ own }) => own, rateInCells, { isHiddenOnPhones: true }),
    {
      title: 'Rate per minute',
      cell: (row) => <PriceCell row={row} reason={reason} onMap={onMap} />,
      value: ({ price }) => price,
      isNumber: true,
      isMain: true,
      className: 'kind-price',
    },
    numberColumn('Minutes', ({ minutes }) => minutes, minutesInWords, { isPlain: true }),
    {
      title: 'Spent',
      cell: ({ minutes, cost }) => (minutes === 0 ? '–' : <Money amount={cost} />),
      value: ({ cost }) => cost,
      isNumber: true,
      isPlain: true,
    },
  ];
}

function minutesInWords(minutes: number): ReactNode {
  if (minutes === 0) return '–';
  return (
    <>
      {count(minutes)}
      <span className="mantine-hidden-from-sm"> min</span>
    </>
  );
}

function Name({ row: { name, about, isUnpriced, price, own } }: { row: KindRow }) {
  return (
    <>
      <Group gap="2px 8px">
        {name}
        {isUnpriced && (
          <Badge variant="dot" color="yellow" tt="none">
            {price === null ? 'Unpriced' : 'Past jobs without a price'}
          </Badge>
        )}
        {own !== null && (
          <Badge variant="dot" tt="none">
            Own price
          </Badge>
        )}
      </Group>
      <Note size="xs" fw={400} visibleFrom="sm">
        {about}
      </Note>
    </>
  );
}
