import { Anchor, Code } from '@mantine/core';
import { Link, useParams } from 'wouter';
import { ApiError } from '../api/client.ts';
import { Empty } from '../shown/Empty.tsx';
import { Figure, Figures } from '../shown/Figure.tsx';
import { count, countOf, duration } from '../shown/figures.ts';
import { Loaded } from '../shown/Loaded.tsx';
import { Money } from '../shown/Money.tsx';
import { PageTitle } from '../shown/PageTitle.tsx';
import { StatusBadge } from '../shown/StatusBadge.tsx';
import { DeleteRun } from './run/DeleteRun.tsx';
import { Facts } from './run/Facts.tsx';
import { Jobs } from './run/Jobs.tsx';
import { useRun, type Run } from './run/queries.ts';

export function Page() {
  const { id } = useParams<{ id: string }>();
  const run = useRun(id);
  if (run.error instanceof ApiError && run.error.status === 404)
    return (
      <>
        <PageTitle title="Run" />
        <Empty title="There is no such run">
          <Anchor component={Link} href="/workflows">
            To the workflows
          </Anchor>
        </Empty>
      </>
    );
  const name = run.data?.workflow.name;
  return (
    <>
      <PageTitle title={name ? `Run of ${name}` : 'Run'} about={<About id={id} run={run.data} />}>
        {run.data && (
          <>
            <StatusBadge status={run.data.conclusion ?? run.data.status} />
            <DeleteRun run={run.data} />
          </>
        )}
      </PageTitle>
      <Loaded query={run} height={640}>
        {(loaded) => (
          <>
            <RunFigures run={loaded} />
            <Facts run={loaded} />
            <Jobs run={loaded} />
          </>
        )}
      </Loaded>
    </>
  );
}

function About({ id, run }: { id: string; run: Run | undefined }) {
  return (
    <>
      {run ? (
        <Anchor component={Link} href={`/workflows/${run.workflow.id}`} inherit underline="always">
          ← All runs of this workflow
        </Anchor>
      ) : (
        '← All runs of this workflow'
      )}
      {' · '}
      <Code style={{ overflowWrap: 'anywhere' }}>{id}</Code>
    </>
  );
}

function RunFigures({ run }: { run: Run }) {
  const minutes = run.jobs.reduce((sum, { receipt }) => sum + receipt.billed_minutes, 0);
  const isWhole = run.job_count === run.jobs.length;
  return (
    <Figures>
      <Figure
        label={run.status === 'completed' ? 'Cost' : 'Cost so far'}
        value={<Money amount={run.cost} />}
        note={run.attempt > 1 ? `over ${run.attempt} attempts` : 'one attempt'}
      />
      <Figure
        label="Billed minutes"
        value={count(minutes)}
        note={isWhole ? 'rounded up for each job' : `of the first ${countOf(run.jobs.length, 'job')}`}
      />
      <Figure
        label="Duration"
        value={run.completed_at ? duration(run.duration_seconds) : 'running'}
        note={run.attempt > 1 ? 'of the latest attempt' : 'from start to end'}
      />
      <Figure label="Jobs" value={count(run.job_count)} note="of all attempts" />
    </Figures>
  );
}
