import { useRecentRuns } from '../../../parts/costs/queries.ts';
import { NamedLink } from '../../../parts/workflows/NamedLink.tsx';
import { useMediaQuery } from '../../../ui/browserState.ts';
import { statusColumn, timeColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Note, RunCost, sharedOwner, withoutOwner } from '../../../ui/text.tsx';
import { runAddress } from '../../../ui/useAddress.ts';
import { type RecentRun } from './queries.ts';

const title = 'Recent runs';

const columnsOf = (owner: string | null): Column<RecentRun>[] => [
  {
    title: 'Run',
    cell: (run) => (
      <NamedLink
        href={runAddress(run.id)}
        workflow={run.run_number === null ? run.workflow_name : `${run.workflow_name} #${run.run_number}`}
        note={[withoutOwner(run.repo_name, owner), run.branch ?? []].flat().join(' · ')}
      />
    ),
  },
  statusColumn(({ conclusion, status }) => conclusion ?? status),
  {
    title: 'Cost',
    isNumber: true,
    isMain: true,
    cell: ({ cost, status }) => <RunCost cost={cost} status={status} />,
  },
  timeColumn('Created', ({ created_at: at }) => at, { isNumber: true, isPlain: true }),
];

type Props = {
  isFiltered: boolean;
  /** Chosen so that the panel ends about where the other column does. */
  maxRows: number;
};

/** Fewer rows on phones, so that the panels below stay near. */
const rowsOnPhones = 5;

export function RecentRuns({ isFiltered, maxRows }: Props) {
  const runs = useRecentRuns();
  const isNarrow = useMediaQuery('(width < 48em)');
  return (
    <Panel title={title} aside={<Note>{isFiltered ? 'Live, without the filters' : 'Live'}</Note>}>
      <Loaded query={runs} height={isNarrow ? 60 * rowsOnPhones : 400}>
        {(listed) => (
          <DataTable
            label={title}
            minWidth={280}
            maxRows={isNarrow ? rowsOnPhones : maxRows}
            rows={listed}
            columns={columnsOf(sharedOwner(listed.map(({ repo_name: name }) => name)))}
            hrefOf={({ id }) => runAddress(id)}
            isStacked
            isPart
          />
        )}
      </Loaded>
    </Panel>
  );
}
