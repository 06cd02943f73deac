import { zoneName } from '../../../api/calendar.ts';
import type { Column, Order } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { duration, sentence } from '../../../ui/figures.ts';
import { RunCost } from '../../../ui/RunCost.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { TextLink } from '../../../ui/TextLink.tsx';
import { runAddress } from '../../../ui/useAddress.ts';
import { When } from '../../../ui/When.tsx';
import type { ListedRun } from './queries.ts';

type Props = {
  runs: ListedRun[];
  order: Order;
  onOrder: ((order: Order) => void) | null;
};

export function RunsTable({ runs, order, onOrder }: Props) {
  return (
    <DataTable
      label="Runs"
      minWidth={900}
      isStacked
      rows={runs}
      columns={onOrder ? columns() : columns().map(({ sort: _, ...column }) => column)}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => runAddress(id)}
      {...(onOrder ? { order, onOrder } : {})}
    />
  );
}

const columns = (): Column<ListedRun>[] => [
  {
    title: 'Run',
    cell: ({ id, run_number: number }) => (
      <TextLink href={runAddress(id)} size="sm">
        {number === null ? id.replace(/^run_[^_]+_/, '') : `#${number}`}
      </TextLink>
    ),
  },
  {
    title: 'Status',
    className: 'row-beside',
    cell: ({ conclusion, status }) => <StatusBadge status={conclusion ?? status} />,
  },
  {
    title: 'Cost',
    sort: 'cost',
    isNumber: true,
    isMain: true,
    cell: ({ cost, status }) => <RunCost cost={cost} status={status} />,
  },
  {
    title: `Created (${zoneName(new Date())})`,
    sort: 'start',
    isNumber: true,
    isPlain: true,
    cell: ({ created_at: at }) => <When at={at} inRow />,
  },
  {
    title: 'Duration',
    sort: 'duration',
    isNumber: true,
    isPlain: true,
    cell: ({ completed_at: end, duration_seconds: seconds }) =>
      end === null || seconds === null ? '–' : duration(Math.round(seconds)),
  },
  { title: 'Attempts', isNumber: true, isHiddenOnPhones: true, cell: ({ attempt }) => attempt },
  { title: 'Branch', className: 'breaks', isPlain: true, cell: ({ branch }) => branch ?? '–' },
  {
    title: 'Commit',
    isHiddenOnPhones: true,
    cell: ({ commit }) => (commit === null ? '–' : <code className="commit">{commit.slice(0, 7)}</code>),
  },
  {
    title: 'Event',
    isHiddenOnPhones: true,
    cell: ({ event }) => (event === null ? '–' : sentence(event.replaceAll('_', ' '))),
  },
  { title: 'Triggered by', className: 'breaks', isHiddenOnPhones: true, cell: ({ actor }) => actor ?? '–' },
];
