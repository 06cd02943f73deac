import { Anchor, Box, Button, Stack, Tabs, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { count, countOf } from '../../../ui/figures.ts';
import { Empty, Panel } from '../../../ui/Panel.tsx';
import { TabsList } from '../../../ui/TabsList.tsx';
import { Note } from '../../../ui/text.tsx';
import { WideTable } from '../../../ui/WideTable.tsx';
import { attemptsOf, type Attempt } from './attempts.ts';
import { GanttAxis, GanttLegend, runnerColors, runnerOf } from './Gantt.tsx';
import { JobRow } from './JobRow.tsx';
import type { Run } from './queries.ts';
import { receiptDollars, sumOf } from './receiptDollars.ts';
import { timelineOf } from './timeline.ts';

export function Jobs({ run }: { run: Run }) {
  const attempts = attemptsOf(run.jobs);
  const colors = runnerColors(run.jobs);
  const latest = attempts.at(-1);
  if (!latest)
    return (
      <Empty title="No jobs reported yet">
        Costs come from jobs. On GitHub, the webhook must send <em>Workflow jobs</em> and{' '}
        <em>Workflow runs</em>.
      </Empty>
    );
  if (attempts.length === 1)
    return (
      <Panel title="Jobs" aside={latest.carriedOver > 0 && <AboutJobs attempt={latest} />}>
        <JobTable attempt={latest} colors={colors} />
        <Total run={run} attempts={attempts} />
      </Panel>
    );
  return (
    <Panel title="Jobs">
      <Tabs defaultValue={String(latest.number)}>
        <TabsList open={null}>
          {attempts.map(({ number, cost }) => (
            <Tabs.Tab key={number} value={String(number)}>
              Attempt {number} · {receiptDollars(cost)}
            </Tabs.Tab>
          ))}
        </TabsList>
        {attempts.map((attempt) => (
          <Tabs.Panel key={attempt.number} value={String(attempt.number)} pt="md">
            <Stack gap="sm">
              <AboutJobs attempt={attempt} />
              <JobTable attempt={attempt} colors={colors} />
            </Stack>
          </Tabs.Panel>
        ))}
      </Tabs>
      <Total run={run} attempts={attempts} />
    </Panel>
  );
}

function AboutJobs({ attempt: { jobs, carriedOver } }: { attempt: Attempt }) {
  return (
    <Note>
      {countOf(jobs.length, 'job')}
      {carriedOver > 0 && `, ${count(carriedOver)} carried over (not billed again)`}
    </Note>
  );
}

const shownAtFirst = 100;
const maxCarriedOver = 3;
const noBar = { waiting: null, running: null, rounding: null };

type TableProps = { attempt: Attempt; colors: ReturnType<typeof runnerColors> };

function JobTable({ attempt, colors }: TableProps) {
  const [isWhole, setIsWhole] = useState(false);
  const ran = attempt.jobs.length - attempt.carriedOver;
  const [hidesRest, setHidesRest] = useState(ran > 0 && attempt.carriedOver > maxCarriedOver);
  const listed = hidesRest ? attempt.jobs.slice(0, ran) : attempt.jobs;
  const jobs = isWhole ? listed : listed.slice(0, shownAtFirst);
  const timeline = timelineOf(attempt.jobs, Date.now());
  const rows = jobs.map((job) => ({
    job,
    bar: timeline?.barOf(job) ?? noBar,
    color: colors.get(runnerOf(job))!,
  }));
  return (
    <>
      <Box className="gantt" style={{ containerType: 'inline-size' }}>
        <WideTable label="Jobs" minWidth={0}>
          <thead>
            <tr>
              <th scope="col">Job</th>
              <th scope="col" className="gantt-cell">
                <VisuallyHidden>Time</VisuallyHidden>
                {timeline && <GanttAxis ticks={timeline.ticks} />}
              </th>
              <th scope="col" className="number gantt-minutes">
                Minutes
              </th>
              <th scope="col" className="number">
                Cost
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ job, bar, color }) => (
              <JobRow key={job.job_id} job={job} bar={bar} color={color} />
            ))}
            {hidesRest && (
              <tr>
                <th scope="row" colSpan={4}>
                  <Anchor component="button" type="button" size="sm" onClick={() => setHidesRest(false)}>
                    Show {count(attempt.carriedOver)} jobs that were carried over
                  </Anchor>
                </th>
              </tr>
            )}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row" colSpan={2}>
                All jobs
              </th>
              <th className="number gantt-minutes">{count(attempt.minutes)}</th>
              <th className="number">{receiptDollars(attempt.cost)}</th>
            </tr>
          </tfoot>
        </WideTable>
      </Box>
      <GanttLegend rows={rows} />
      {jobs.length < listed.length && (
        <Button variant="default" onClick={() => setIsWhole(true)}>
          Show all {count(listed.length)} jobs
        </Button>
      )}
    </>
  );
}

/** Adds up the attempts to the run's cost. Jobs that are not listed get their own line. */
function Total({ run, attempts }: { run: Run; attempts: Attempt[] }) {
  const unlisted = run.job_count - run.jobs.length;
  // If all jobs are listed, the tabs and tables already show these sums.
  if (unlisted === 0) return null;
  const rest = sumOf([run.cost, ...attempts.map(({ cost }) => -cost)]);
  const lines = [
    ...attempts.map(({ number, cost }) => [`Attempt ${number}`, cost] as const),
    ...(unlisted > 0 ? [[`${countOf(unlisted, 'job')} not listed here`, rest] as const] : []),
  ];
  return (
    <Box maw={420}>
      <table aria-label="Total">
        <tbody>
          {lines.map(([name, cost]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="number">{receiptDollars(cost)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">This run{run.status === 'completed' ? '' : ' so far'}</th>
            <th className="number">{receiptDollars(run.cost)}</th>
          </tr>
        </tfoot>
      </table>
    </Box>
  );
}
