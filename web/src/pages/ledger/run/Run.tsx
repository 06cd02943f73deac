import { Skeleton } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams, useLocation } from 'wouter';
import { productTitles } from '../../../analysis/words.ts';
import { api } from '../../../api/client.ts';
import { Confirm } from '../../../ui/Dialog.tsx';
import { Figure, Figures } from '../../../ui/Figure.tsx';
import { count, countOf, duration, titleOfRun } from '../../../ui/figures.ts';
import { isNotFound, Loaded } from '../../../ui/Loaded.tsx';
import { NotFound } from '../../../ui/Lost.tsx';
import { PageTitle } from '../../../ui/Panel.tsx';
import { ProviderButton } from '../../../ui/ProviderButton.tsx';
import { useWhyNot } from '../../../ui/rights.tsx';
import { RowMenu } from '../../../ui/RowMenu.tsx';
import { StatusBadge } from '../../../ui/text.tsx';
import { decoded } from '../../../ui/useAddress.ts';
import { useChange } from '../../../ui/useChange.ts';
import { useVisit } from '../../../ui/visits.ts';
import { sumsOf } from './attempts.ts';
import { Details, Origin } from './Details.tsx';
import { Jobs } from './Jobs.tsx';
import { useOtherCosts, useRun, type Run, runKey } from './queries.ts';
import { receiptDollars } from './receiptDollars.ts';
import { usualInWords } from './usual.ts';

export function Page() {
  const id = decoded(useParams<{ id: string }>().id);
  const run = useRun(id);
  useVisit('run', run.data && titleOfRun(run.data));
  if (isNotFound(run.error)) return <NotFound what="run" href="/workflows" list="workflows" />;
  return (
    <>
      <PageTitle
        back={
          run.data
            ? { href: `/workflows/${run.data.workflow.id}`, label: 'All runs of this workflow' }
            : { href: '/workflows', label: 'Workflows' }
        }
        title={run.data ? titleOfRun(run.data) : 'Run'}
        badge={run.data && <StatusBadge status={run.data.conclusion ?? run.data.status} />}
        about={run.data ? <Origin run={run.data} /> : <Skeleton height={12} width={320} maw="100%" my={5} />}
      >
        {run.data && (
          <>
            {run.data.url && <ProviderButton href={run.data.url} />}
            <DeleteRun run={run.data} />
          </>
        )}
      </PageTitle>
      <Loaded query={run} height={640}>
        {(loaded) => (
          <>
            <RunFigures run={loaded} now={run.dataUpdatedAt} />
            <Jobs run={loaded} />
            <Details run={loaded} />
          </>
        )}
      </Loaded>
    </>
  );
}

function amountsInWords(amounts: Run['amounts']): string {
  return [...new Set(amounts.map(({ product }) => productTitles[product]))].join(', ');
}

function RunFigures({ run, now }: { run: Run; now: number }) {
  const { minutes, seconds, carriedOver, failed, running } = sumsOf(run.jobs);
  const isWhole = run.job_count === run.jobs.length;
  const usual = usualInWords(useOtherCosts(run).data ?? []);
  return (
    <Figures>
      <Figure
        label={run.status === 'completed' ? 'Cost' : 'Cost so far'}
        value={receiptDollars(run.cost)}
        note={[
          run.amounts.length > 0 &&
            `${receiptDollars(run.cost_with_amounts)} with ${amountsInWords(run.amounts)}`,
          run.attempt > 1 && `in ${run.attempt} attempts`,
          usual,
        ]
          .filter(Boolean)
          .join(', ')}
      />
      <Figure
        label="Billed minutes"
        value={count(minutes)}
        note={
          isWhole
            ? minutes === 0
              ? running > 0 && 'counted when a job ends'
              : 60 * minutes > seconds
                ? `rounded up from ${duration(Math.round(seconds))}`
                : 'whole minutes'
            : `of the first ${countOf(run.jobs.length, 'job')}`
        }
      />
      <Figure
        label="Duration"
        value={durationOf(run, now)}
        note={
          run.status === 'queued'
            ? 'not started yet'
            : run.status === 'in_progress'
              ? 'running'
              : run.attempt > 1
                ? 'of the latest attempt'
                : waitedIn(run)
        }
      />
      <Figure
        label="Jobs"
        value={count(run.job_count - carriedOver)}
        note={[
          running > 0 && `${count(running)} running`,
          failed > 0 ? `${count(failed)} failed` : run.status === 'completed' && 'none failed',
          carriedOver > 0 && `${count(carriedOver)} carried over`,
        ]
          .filter(Boolean)
          .join(', ')}
      />
    </Figures>
  );
}

/** Time before the first attempt, if it was a second or more. */
function waitedIn({ created_at: created, started_at: started, jobs }: Run): string {
  if (started === null) return '';
  const seconds = Math.round((Date.parse(started) - Date.parse(created)) / 1_000);
  if (seconds <= 0) return 'started at once';
  const wait = jobs.some((job) => job.awaited_approval) ? 'with the wait for an approval' : 'in the queue';
  return `after ${duration(seconds)} ${wait}`;
}

function durationOf(run: Run, now: number): string {
  if (run.completed_at) return duration(run.duration_seconds);
  if (run.status !== 'in_progress' || run.started_at === null) return '–';
  return duration(Math.max(0, Math.round((now - Date.parse(run.started_at)) / 1_000)));
}

function DeleteRun({ run }: { run: Run }) {
  const [isAsking, setIsAsking] = useState(false);
  const [, navigate] = useLocation();
  const queryClient = useQueryClient();
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  const removal = useChange({
    act: () => api.DELETE('/api/v1/runs/{id}', { params: { path: { id: run.id } } }),
    done: 'Run deleted.',
  });
  // All sums have changed. The run itself is not reloaded, because this page would get a 404.
  const leave = () => {
    navigate('/workflows');
    void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== runKey });
  };
  return (
    <>
      <RowMenu of="this run" items={[{ label: 'Delete run', reason, onClick: () => setIsAsking(true) }]} />
      {isAsking && (
        <Confirm
          title="Delete this run?"
          label="Delete run"
          change={removal}
          onClose={() => setIsAsking(false)}
          onConfirm={() => removal.mutate(undefined, { onSuccess: leave })}
        >
          This deletes the run and its {countOf(run.job_count, 'job')}, and removes them from all sums. This
          cannot be undone. If the run is reported again, we record it again.
        </Confirm>
      )}
    </>
  );
}
