import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { type Answer } from '../../../api/query.ts';
import { countColumn, moneyColumn, textColumn, timeColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Note, OutsideLink } from '../../../ui/text.tsx';

const reportPath = '/api/v1/pull-request-reports';

type PullRequest = Answer<'/api/v1/pull-requests'>['pull_requests'][number];

async function readReport({ provider, repository, number }: PullRequest) {
  const body = { provider, repository, pull_request: number };
  return (await api.POST(reportPath, { body })).data!.data;
}

type Round = Awaited<ReturnType<typeof readReport>>['rounds'][number];

/** What each push of a pull request caused. */
export function Rounds({ of }: { of: PullRequest }) {
  const { provider, repository, number, url } = of;
  const report = useQuery({
    queryKey: [reportPath, provider, repository, number],
    queryFn: () => readReport(of),
    staleTime: 60_000,
  });
  return (
    <Loaded query={report} height={132}>
      {({ rounds }) => (
        <>
          <DataTable
            label={`Pushes of ${repository}#${number}`}
            rows={rounds}
            columns={columns}
            keyOf={({ commit }) => commit ?? ''}
            minWidth={420}
            maxHeight={320}
          />
          {url !== null && (
            <Note>
              <OutsideLink href={url}>Open the pull request</OutsideLink>
            </Note>
          )}
        </>
      )}
    </Loaded>
  );
}

const columns: readonly Column<Round>[] = [
  {
    title: 'Commit',
    value: ({ started_at: at }) => at,
    cell: ({ commit }) => commit?.slice(0, 12) ?? 'not reported',
  },
  textColumn('By', ({ started_by: name, actor_kind: kind }) =>
    name === null || kind === null || kind === 'person' ? name : `${name} (${kind})`,
  ),
  timeColumn('Started', ({ started_at: at }) => at),
  countColumn('Runs', ({ runs }) => runs),
  countColumn('Re-runs', ({ reruns }) => reruns),
  moneyColumn('Of re-runs', ({ rerun_cost: cost }) => cost),
  moneyColumn('Cost', ({ cost }) => cost, { isMain: true }),
];
