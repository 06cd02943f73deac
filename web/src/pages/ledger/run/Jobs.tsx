import { Box, Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Empty } from '../../../ui/Empty.tsx';
import { count, countOf } from '../../../ui/figures.ts';
import { Panel } from '../../../ui/Panel.tsx';
import { Columns, WideTable } from '../../../ui/WideTable.tsx';
import { attemptsOf, type Attempt } from './attempts.ts';
import { exactDollars, sumOf } from './exactDollars.ts';
import { JobRow } from './JobRow.tsx';
import type { Run } from './queries.ts';

export function Jobs({ run }: { run: Run }) {
  const attempts = attemptsOf(run.jobs);
  if (attempts.length === 0)
    return (
      <Empty title="No jobs reported yet">
        Costs come from jobs. On GitHub, the webhook must send <em>Workflow jobs</em> and{' '}
        <em>Workflow runs</em>.
      </Empty>
    );
  return (
    <>
      {attempts.map((attempt) => (
        <AttemptPanel key={attempt.number} attempt={attempt} isOnly={attempts.length === 1} />
      ))}
      <Total run={run} attempts={attempts} />
    </>
  );
}

const shownAtFirst = 100;

function AttemptPanel({ attempt, isOnly }: { attempt: Attempt; isOnly: boolean }) {
  const [isWhole, setIsWhole] = useState(false);
  const jobs = isWhole ? attempt.jobs : attempt.jobs.slice(0, shownAtFirst);
  const title = isOnly && attempt.number === 1 ? 'Jobs' : `Attempt ${attempt.number}`;
  return (
    <Panel
      title={title}
      aside={
        <Text size="sm" c="dimmed">
          {countOf(attempt.jobs.length, 'job')}
          {attempt.carriedOver > 0 && `, ${count(attempt.carriedOver)} carried over (not billed again)`}
        </Text>
      }
    >
      <Box style={{ containerType: 'inline-size' }}>
        <WideTable keepsLast label={title} minWidth={700}>
          <Columns
            texts={['Job (click for receipt)', 'Runner', 'Status']}
            numbers={['Time', 'Minutes', 'Rate per minute', 'Cost']}
          />
          <tbody>
            {jobs.map((job) => (
              <JobRow key={job.job_id} job={job} />
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row" colSpan={4}>
                {isOnly ? 'All jobs' : `Attempt ${attempt.number}`}
              </th>
              <th className="number">{count(attempt.minutes)}</th>
              <td />
              <th className="number">{exactDollars(attempt.cost)}</th>
            </tr>
          </tfoot>
        </WideTable>
      </Box>
      {jobs.length < attempt.jobs.length && (
        <Button variant="default" onClick={() => setIsWhole(true)}>
          Show all {count(attempt.jobs.length)} jobs
        </Button>
      )}
    </Panel>
  );
}

/** Adds up the attempts to the run's cost. Jobs that are not listed get their own line. */
function Total({ run, attempts }: { run: Run; attempts: Attempt[] }) {
  const unlisted = run.job_count - run.jobs.length;
  // The sum of a single attempt with all its jobs is in its table.
  if (attempts.length === 1 && unlisted === 0) return null;
  const rest = sumOf([run.cost, ...attempts.map(({ cost }) => -cost)]);
  const lines = [
    ...attempts.map(({ number, cost }) => [`Attempt ${number}`, cost] as const),
    ...(unlisted > 0 ? [[`${countOf(unlisted, 'job')} not listed here`, rest] as const] : []),
  ];
  return (
    <Panel title="Total">
      <Stack gap="xs" maw={420}>
        <table aria-label="Total">
          <tbody>
            {lines.map(([name, cost]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td className="number">{exactDollars(cost)}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">This run{run.status === 'completed' ? '' : ' so far'}</th>
              <th className="number">{exactDollars(run.cost)}</th>
            </tr>
          </tfoot>
        </table>
      </Stack>
    </Panel>
  );
}
