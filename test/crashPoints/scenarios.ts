import { scheduledExportPollers } from '../../src/insight/scheduledExports/planUploads.ts';
import { sumsBeforeRemoval } from '../../src/insight/waste/sumWaste.ts';
import { billPollers } from '../../src/ledger/bills/reports.ts';
import { repricingPollers } from '../../src/ledger/repricing/doReprice.ts';
import { retentionPollers } from '../../src/ledger/retention/removeRuns.ts';
import { completionPollers } from '../../src/ledger/runs/completions.ts';
import { alertPollers } from '../../src/outreach/alerts/alerts.ts';
import { digestPollers } from '../../src/outreach/digests/planDigests.ts';
import { notificationPollers } from '../../src/outreach/notifications/notifications.ts';
import { webhookPollers } from '../../src/outreach/webhooks/deliveries.ts';
import { cliActor, scopes } from '../../src/platform/lib/actor.ts';
import type { Poller } from '../../src/platform/work/worker.ts';
import { loginPollers } from '../../src/tenancy/logins/logins.ts';
import { removalPollers } from '../../src/tenancy/organizations/deleteOrganization.ts';
import { createOrganization } from '../../src/tenancy/organizations/organizations.ts';
import { createToken } from '../../src/tenancy/tokens/tokens.ts';
import type { Answer } from '../harness/app.ts';
import { usageReport } from '../harness/bills.ts';
import { newJob, newRun } from '../harness/submission.ts';
import { gitHubJob, gitHubRun, signGitHub } from '../payloads/gitHub.ts';
import type { Program, Working } from './program.ts';
import type { Receivers } from './receivers.ts';

export type Scenario = {
  /** The work that the scenario is about: all of it would take ten times as many statements. */
  pollers: (app: Working) => Poller[];
  /** Prepares the database that each trial copies. Returns what the trial needs to know of it. */
  prepare: (program: Program, receivers: Receivers) => Promise<State>;
  /** What is done while the fault happens. */
  run: (program: Program, state: State, receivers: Receivers) => Promise<void>;
  /** The lines that differ if a request is sent again that nobody acknowledged. */
  repeats?: RegExp;
};

/** What senders and operators know, such as tokens and ids. */
type State = Record<string, string>;

export const scenarios: Record<string, Scenario> = {
  reports: {
    pollers: completionPollers,
    prepare: async (program) => {
      const owner = await newOwner(program);
      const { body } = await program.send({
        ...as(owner),
        path: '/api/v1/sources',
        body: { kind: 'github', name: 'GitHub' },
      });
      return { ...owner, source: body.data.id, secret: body.data.secret };
    },
    run: async (program, state) => {
      const times = { started_at: '2026-03-18T10:00:00Z' };
      const job = newJob({ job_id: 'a' });
      const running = { job_id: 'b', runner: 'linux_4_core', status: 'in_progress', ...times };
      const ended = {
        ...running,
        status: 'completed',
        conclusion: 'failure',
        completed_at: '2026-03-18T11:00:00Z',
      };
      const first = newRun({ run_id: 'first', jobs: [job, ended] });
      const started = newRun({
        run_id: 'first',
        status: 'in_progress',
        conclusion: undefined,
        jobs: [job, running],
      });
      await report(program, state, started);
      await report(program, state, { ...first, conclusion: 'failure' });
      const again = newJob({ job_id: 'c', runner: 'linux_4_core' });
      const rerun = { ...first, run_attempt: 2, jobs: [again] };
      await report(
        program,
        state,
        rerun,
        newRun({ run_id: 'second', jobs: [newJob({ job_id: 'd' })] }),
        rerun,
      );
      await deliver(
        program,
        state,
        'workflow_run',
        gitHubRun({ id: 71, created_at: times.started_at, status: 'in_progress', conclusion: null }),
      );
      const ofRun = {
        id: 710,
        run_id: 71,
        created_at: times.started_at,
        completed_at: '2026-03-18T10:30:00Z',
        ...times,
      };
      await deliver(program, state, 'workflow_job', gitHubJob(ofRun));
      await deliver(program, state, 'workflow_run', gitHubRun({ id: 71, created_at: times.started_at }));
      await settle(program);
    },
  },
  alert: {
    pollers: (app) => [...alertPollers(app), ...webhookPollers(app)],
    prepare: async (program, { webhook }) => {
      const owner = await newOwner(program);
      const budget = { name: 'CI', alert_type: 'budget', threshold_amount: 10 };
      await program.send({ ...as(owner), path: `/api/v1/alerts?org_id=${owner['orgId']}`, body: budget });
      await subscribe(program, owner, webhook);
      return owner;
    },
    run: async (program, state) => {
      await report(program, state, spending('half', 6));
      await settle(program);
      await report(program, state, spending('over', 6));
      await settle(program);
      program.forward(14 * 86_400);
      await settle(program);
    },
  },
  deliveries: {
    pollers: (app) => [...completionPollers(app), ...webhookPollers(app)],
    prepare: async (program, { webhook }) => {
      const owner = await newOwner(program);
      return { ...owner, webhook: await subscribe(program, owner, webhook) };
    },
    run: async (program, state, { webhook: receiver }) => {
      receiver.answer = 500;
      await report(program, state, newRun({ run_id: 'first', jobs: [newJob({ job_id: 'a' })] }));
      await settle(program, 4);
      receiver.answer = 204;
      const body = { secret: `whsec_${Buffer.alloc(24, 7).toString('base64')}` };
      const isDone = () => true;
      await program.send({
        ...as(state),
        path: `/api/v1/webhooks/${state['webhook']}/rotate-secret`,
        body,
        isDone,
      });
      await report(program, state, newRun({ run_id: 'second', jobs: [newJob({ job_id: 'b' })] }));
      await settle(program, 4);
    },
  },
  reprice: {
    pollers: repricingPollers,
    prepare: async (program) => {
      const owner = await newOwner(program);
      const jobs = ['box', 'ubuntu-latest'].map((label) => newJob({ job_id: label, labels: [label] }));
      await report(program, owner, newRun({ run_id: 'first', jobs }), newRun({ run_id: 'second', jobs }));
      const rule = { match: 'label', pattern: 'box', runner_kind: 'linux_2_core' };
      await program.send({ ...as(owner), path: '/api/v1/pricing/rules', body: rule });
      return owner;
    },
    run: async (program, state) => {
      const body = { from: '2026-03-01', to: '2026-03-31' };
      const isDone = ({ status }: Answer) => status === 409;
      await program.send({ ...as(state), path: '/api/v1/reprices', body, isDone });
      await settle(program);
    },
  },
  deletion: {
    pollers: removalPollers,
    prepare: async (program, { webhook }) => {
      const [owner, other] = [await newOwner(program), await newOwner(program)];
      for (const each of [owner, other]) {
        await subscribe(program, each, webhook);
        await report(
          program,
          each,
          spending('first', 3),
          newRun({ run_id: 'second', jobs: [newJob({ job_id: 'b' })] }),
        );
      }
      return owner;
    },
    run: async (program, state) => {
      const isDone = ({ status }: Answer) => status === 401;
      await program.send({
        ...as(state),
        method: 'DELETE',
        path: '/api/v1/organization?confirm=Acme',
        isDone,
      });
      await settle(program);
    },
  },
  retention: {
    pollers: (app) =>
      retentionPollers({ ...app, retentionDays: {}, exportRemoved: null, ...sumsBeforeRemoval(app) }),
    prepare: async (program) => {
      const owner = await newOwner(program);
      await report(
        program,
        owner,
        runAt('2025-11-03T10:00:00Z', 'old'),
        runAt('2025-12-03T10:00:00Z', 'older'),
      );
      await report(program, owner, runAt('2026-03-03T10:00:00Z', 'new'));
      return owner;
    },
    run: async (program, state) => {
      const body = { run_retention_days: 90 };
      await program.send({ ...as(state), method: 'PUT', path: '/api/v1/organization', body });
      await settle(program);
    },
  },
  bill: {
    // The same file again changes nothing, but is in the audit log.
    repeats: /^audit_entries /,
    pollers: billPollers,
    prepare: newOwner,
    run: async (program, state) => {
      const csv = { ...as(state), path: '/api/v1/bills/reports', body: usageReport('summarised') };
      await program.send({ ...csv, headers: { ...csv.headers, 'content-type': 'text/csv' } });
      await settle(program);
    },
  },
  'scheduled-export': {
    pollers: scheduledExportPollers,
    prepare: async (program, { storage: { endpoint } }) => {
      const owner = await newOwner(program);
      await report(program, owner, runAt('2026-03-17T10:00:00Z', 'first'));
      const target = { endpoint, bucket: 'costs', access_key_id: 'ours', secret_access_key: 'hidden-key' };
      const body = { dataset: 'jobs', format: 'csv', frequency: 'daily', ...target };
      await program.send({ ...as(owner), path: '/api/v1/scheduled-exports', body });
      return owner;
    },
    run: async (program) => {
      await settle(program);
      program.forward(86_400);
      await settle(program);
    },
  },
  digest: {
    pollers: (app) => [...digestPollers(app), ...notificationPollers(app)],
    prepare: async (program) => {
      const owner = await newOwner(program);
      await report(
        program,
        owner,
        runAt('2026-03-10T10:00:00Z', 'first'),
        runAt('2026-03-17T10:00:00Z', 'second'),
      );
      const body = {
        frequency: 'weekly',
        is_personal: false,
        recipients: ['cto@acme.test', 'cfo@acme.test'],
      };
      await program.send({ ...as(owner), path: '/api/v1/digests', body });
      return owner;
    },
    run: async (program) => {
      program.forward(5 * 86_400);
      await settle(program);
    },
  },
  invitation: {
    // The later invitation replaces the earlier one.
    repeats: /^(invitations|audit_entries|mail) /,
    pollers: loginPollers,
    prepare: newOwner,
    run: async (program, state, { mailbox }) => {
      const body = { email: 'ada@acme.test', role: 'member' };
      const isDone = ({ status }: Answer) => status === 409;
      await program.send({ ...as(state), path: '/api/v1/invitations', body, isDone });
      const mail = mailbox.mails.findLast(({ to }) => to === body.email)!;
      const invitation = /\/invitation#(\S+)/.exec(mail.email.text!)![1];
      const accepted = { path: '/api/v1/invitation/accept', body: { invitation, name: 'Ada' } };
      await program.send({ ...accepted, isDone: ({ body: { code } }) => code === 'invitation_used' });
    },
  },
};

async function newOwner({ app }: Program): Promise<State> {
  const orgId = await createOrganization(app(), { name: 'Acme', login: 'acme' });
  const { text } = await createToken(
    { ...app(), actor: cliActor(orgId) },
    { name: 'test', role: 'owner', scopes },
  );
  return { orgId, token: text };
}

const as = ({ token }: State) => ({ headers: { authorization: `Bearer ${token}` } });

/** A run of five minutes, created at this time. */
function runAt(time: string, name: string): object {
  const times = { started_at: time, completed_at: new Date(Date.parse(time) + 300_000) };
  return newRun({ run_id: name, created_at: time, ...times, jobs: [newJob({ job_id: name, ...times })] });
}

async function report(program: Program, state: State, ...runs: object[]): Promise<void> {
  await program.send({ ...as(state), path: '/api/v1/runs', body: { runs } });
}

async function deliver(
  program: Program,
  { source, secret }: State,
  event: string,
  payload: object,
): Promise<void> {
  const body = JSON.stringify(payload);
  const signed = { 'x-github-event': event, 'x-hub-signature-256': signGitHub(body, secret!) };
  const headers = { 'content-type': 'application/json', ...signed };
  await program.send({ path: `/api/v1/ingest/${source}`, headers, body });
}

async function subscribe(program: Program, state: State, { url }: Receivers['webhook']): Promise<string> {
  const body = { url, events: ['workflow.completed', 'alert.triggered', 'alert.resolved', 'cost.threshold'] };
  const { body: created } = await program.send({ ...as(state), path: '/api/v1/webhooks', body });
  return created.data.id;
}

/** A run that costs whole dollars. */
function spending(name: string, dollars: number): object {
  const times = { started_at: '2026-03-18T08:00:00Z', completed_at: '2026-03-18T10:05:00Z' };
  const jobs = Array.from({ length: dollars }, (_, at) => newJob({ job_id: `${name}-${at}`, ...times }));
  return newRun({ run_id: name, created_at: times.started_at, ...times, jobs });
}

/** Time passes until leases and retries are due, also where no fault happened. */
async function settle(program: Program, turns = 2): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    await program.work();
    program.forward(2 * 3_600);
  }
}
