import { Type, type TObject, type TProperties } from 'typebox';
import { nullable, NullableTimestamp, Timestamp, words } from '../platform/http/schemas.ts';
import type { DecimalNumber } from '../platform/lib/money.ts';
import { eventKinds, pingKind, type EventKind } from './eventKinds.ts';

/** Event data as receivers read it: instants as text, exact decimals as numbers. */
type AsJson<T> = T extends Date
  ? string
  : T extends DecimalNumber
    ? number
    : T extends object
      ? { [Name in keyof T]: AsJson<T[Name]> }
      : T;

/** Defines an event type. The compiler checks the example and the recorded data against its fields. */
function define<Fields extends TProperties>(
  title: string,
  description: string,
  fields: Fields,
  example: AsJson<Type.Static<TObject<Fields>>>,
) {
  return { title, description, data: Type.Object(fields), example };
}

const Id = Type.String();
const amount = (description: string) => Type.Unsafe<DecimalNumber>({ type: 'number', description });
const alertAmount = amount("in the unit of the alert's type");
const usedPercent = amount('percentage of the included minutes of the month');
const scope = {
  type: words(['organization', 'repository', 'workflow', 'branch', 'team', 'cost_center', 'actor_kind']),
  value: Type.Optional(
    Type.String({
      description:
        'a repository or branch, or a pattern of them; the id of a workflow; a team or cost center; `person`, `bot` or `agent`',
    }),
  ),
  repository: Type.Optional(Type.String({ description: 'of a branch, if the alert names one' })),
  name: Type.Optional(Type.String({ description: 'of a workflow' })),
};
const ofAlert = {
  scope: Type.Optional(
    Type.Object(scope, { description: 'present if the alert watches a part of the costs' }),
  ),
  snoozed: Type.Optional(
    Type.Literal(true, { description: 'present if the alert is snoozed: people are not notified' }),
  ),
};
const AlertTypeWord = Type.String({ description: 'a `type` of `GET /api/v1/alert-types`, such as `budget`' });
const exampleAlert = { id: '6f0c2f64-5d2b-4b53-9c0e-0a7d7f0f6a11', name: 'CI budget' };

type SentKind = EventKind | typeof pingKind;

/** Add fields to these objects, but never change existing ones. */
const definitions = {
  'workflow.completed': define(
    'Run completed',
    'A workflow run has completed and its cost is final. Sent once per attempt.',
    {
      run: Type.Object({
        id: Type.String({ description: 'run_…, as in the dashboard' }),
        workflow_id: Id,
        workflow_name: Type.String(),
        repository: Type.String({ description: 'without its owner' }),
        organization: Type.String({ description: 'the owner of the repository' }),
        repository_full_name: Type.String({ description: 'owner/repository' }),
        status: words(['success', 'failure', 'cancelled', 'skipped', 'completed'], {
          description: 'how the run ended; `completed` if the provider did not report it',
        }),
        run_attempt: Type.Integer({ minimum: 1 }),
        duration_minutes: Type.Number(),
        cost: amount('US dollars for all attempts of the run so far'),
        attempt_cost: amount('US dollars for this attempt'),
        started_at: NullableTimestamp,
        completed_at: Timestamp,
      }),
    },
    {
      run: {
        id: 'run_8d3c1f0a9b7e6d5c4b3a',
        workflow_id: 'wf_4f1e2d3c4b5a69788796',
        workflow_name: 'Build',
        repository: 'api',
        organization: 'acme',
        repository_full_name: 'acme/api',
        status: 'success',
        run_attempt: 2,
        duration_minutes: 12.5,
        cost: 0.208,
        attempt_cost: 0.104,
        started_at: '2026-03-18T11:42:10.000Z',
        completed_at: '2026-03-18T11:54:40.000Z',
      },
    },
  ),
  'alert.triggered': define(
    'Alert triggered',
    'An alert was triggered.',
    {
      alert: Type.Object({ id: Id, name: Type.String(), type: AlertTypeWord }),
      trigger: Type.Object({
        current_value: alertAmount,
        threshold_value: alertAmount,
        metric: Type.String({
          description:
            '`period_cost_usd`, `period_net_cost_usd`, `included_usage_percent`, `cost_increase_percent` or that of ' +
            'another type',
        }),
        used_up_on: Type.Optional(
          Type.Union([Type.String({ format: 'date' }), Type.Null()], {
            description:
              'of `included_usage_percent`, as the next two: when the included minutes are used up at this pace; null if they ' +
              'last to the end of the month',
          }),
        ),
        repositories: Type.Optional(
          Type.Array(Type.Object({ repo_name: Type.String(), percent: usedPercent }), {
            description: 'those that used most',
          }),
        ),
        workflows: Type.Optional(
          Type.Array(
            Type.Object({
              workflow_id: Id,
              workflow_name: Type.String(),
              repo_name: Type.String(),
              percent: usedPercent,
            }),
            { description: 'those that used most' },
          ),
        ),
        over_time_limit: Type.Optional(
          Type.Object(
            { jobs: Type.Integer(), cost: amount('US dollars') },
            {
              description:
                'jobs in the cost that took longer than their provider lets jobs run, so their times may be wrong; ' +
                'present if there are any',
            },
          ),
        ),
      }),
      ...ofAlert,
    },
    {
      alert: { ...exampleAlert, type: 'budget' },
      trigger: { current_value: 512.25, threshold_value: 500, metric: 'period_cost_usd' },
    },
  ),
  'alert.resolved': define(
    'Alert resolved',
    'The condition of a triggered alert is no longer met.',
    {
      alert: Type.Object({ id: Id, name: Type.String() }),
      resolution: Type.Object({
        triggered_at: Timestamp,
        resolved_at: Timestamp,
        duration_hours: Type.Number({ description: 'to two decimals' }),
        reason: words([
          'condition_cleared',
          'team_removed',
          'period_ended',
          'alert_changed',
          'alert_disabled',
          'alert_deleted',
        ]),
      }),
      ...ofAlert,
    },
    {
      alert: exampleAlert,
      resolution: {
        triggered_at: '2026-03-18T12:00:00.000Z',
        resolved_at: '2026-04-01T00:12:00.000Z',
        duration_hours: 324.2,
        reason: 'period_ended',
      },
    },
  ),
  'cost.threshold': define(
    'Part of a budget spent',
    'Spending has reached 50, 75, 90 or 100 percent of a budget.',
    {
      threshold: Type.Object({
        percentage: Type.Unsafe<50 | 75 | 90 | 100>({ type: 'number', enum: [50, 75, 90, 100] }),
        budget: amount('US dollars; percent for `included_usage`'),
        current_spend: amount('US dollars; percent for `included_usage`'),
        reached_before: Type.Optional(
          Type.Literal(true, {
            description:
              'present if it was already reached when the budget was created, changed or turned on',
          }),
        ),
      }),
      measure: Type.String({
        description: '`list_cost`, `net_cost` or `included_usage`: what the budget watches',
      }),
      scope: Type.Object({ ...scope, org: Type.String() }),
      alert_id: Type.String({ description: 'the budget alert' }),
      snoozed: ofAlert.snoozed,
    },
    {
      threshold: { percentage: 75, budget: 500, current_spend: 376.5 },
      measure: 'list_cost',
      scope: { type: 'organization', org: 'acme' },
      alert_id: exampleAlert.id,
    },
  ),
  'export.ready': define(
    'Export ready',
    'An export file is ready for download.',
    {
      export: Type.Object({
        id: Id,
        format: Type.String(),
        dataset: Type.String(),
        rows: Type.Integer({ minimum: 0 }),
        bytes: Type.Integer({ minimum: 0 }),
        sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
        created_at: Timestamp,
        expires_at: Timestamp,
        download_url: Type.String({ description: 'requires a token' }),
      }),
    },
    {
      export: {
        id: 'exp_0f1e2d3c4b5a69788796',
        format: 'csv',
        dataset: 'jobs',
        rows: 18_250,
        bytes: 2_404_112,
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        created_at: '2026-03-18T12:00:00.000Z',
        expires_at: '2026-03-19T12:00:00.000Z',
        download_url: 'https://runcost.example/api/v1/exports/exp_0f1e2d3c4b5a69788796/download',
      },
    },
  ),
  'audit.recorded': define(
    'Entry in the audit log',
    'Somebody did or changed something: an entry of the audit log. Only the role and scope admin can subscribe.',
    {
      entry: Type.Object({
        id: Type.String({ description: 'as in the audit log' }),
        created_at: Timestamp,
        actor: Type.String({ description: '`token tok_…`, `session of …` or `cli`' }),
        action: Type.String({ description: '`thing.verb`, such as `member.add`' }),
        target: Type.String({ description: 'id of the thing that changed' }),
        details: Type.Record(Type.String(), Type.Unknown()),
        summary: Type.String({ description: 'what the actor did, in words' }),
        target_name: nullable(Type.String({ description: 'its name, if known' })),
        target_page: nullable(Type.String({ description: 'its page, if it has one' })),
      }),
    },
    {
      entry: {
        id: '0195a8f4-c2d0-7b3e-9a1f-2c3d4e5f6071',
        created_at: '2026-03-18T12:00:00.000Z',
        actor: 'session of mona@acme.example',
        action: 'member.add',
        target: 'mem_5c1f0a9e7b3d4826f1a0',
        details: { email: 'ada@acme.example', role: 'viewer' },
        summary: 'added ada@acme.example as viewer',
        target_name: 'ada@acme.example',
        target_page: null,
      },
    },
  ),
  [pingKind]: define(
    'Ping',
    'A test event for one webhook, sent on request whatever event types it subscribes to.',
    { webhook_id: Id },
    { webhook_id: 'wh_1a2b3c4d5e6f70819203' },
  ),
};

export type EventData = { [Kind in SentKind]: Type.Static<(typeof definitions)[Kind]['data']> };

type EventType = { name: SentKind; title: string; description: string; schema: object; example: object };

export const eventTypes: EventType[] = ([...eventKinds, pingKind] as const).map((name) => ({
  name,
  title: definitions[name].title,
  description: definitions[name].description,
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...Type.Object({
      id: Type.String({
        description: 'evt_…, the same for every delivery of the event: use it to recognize duplicates',
      }),
      event: Type.Literal(name),
      timestamp: Timestamp,
      data: definitions[name].data,
    }),
  },
  example: {
    id: 'evt_0195a8f4c2d07b3e9a1f2c3d4e5f6071',
    event: name,
    timestamp: '2026-03-18T12:00:00.000Z',
    data: definitions[name].example,
  },
}));
