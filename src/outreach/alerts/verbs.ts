import { idParams, nullable, OrgIdQuery, PageQuery } from '../../platform/http/schemas.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { readPagination, paginationView } from '../../platform/http/views.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import type { NotificationProgram } from '../notifications/context.ts';
import { createAlert, deleteAlert, getAlert, listAlerts, updateAlert } from './alerts.ts';
import { checkAlert } from './checkAlerts.ts';
import { MeasurementsSchema, PreviewSchema } from './measured.schema.ts';
import { measureAlerts } from './measurements.ts';
import { previewAlert } from './preview.ts';
import { readReach, readRouted, testReach } from './reach.ts';
import {
  AcknowledgeBody,
  exampleAlertId,
  AlertChangesBody,
  AlertSchema,
  AlertsSchema,
  CheckSchema,
  DeletedAlert,
  ExplainedTriggerSchema,
  NewAlertBody,
  ReachBody,
  ReachSchema,
  TestedReach,
  TriggerParams,
  TriggerSchema,
  TriggersSchema,
} from './schema.ts';
import { acknowledgeTrigger, getTrigger, listTriggers } from './triggerList.ts';
import { AlertTypesSchema } from './types.schema.ts';
import {
  alertTypeViews,
  alertView,
  checkView,
  explainedTriggerView,
  listedAlert,
  measurementView,
  previewView,
  triggerView,
} from './views.ts';
import { reachWarnings, warningsOf } from './warnings.ts';

const params = idParams(exampleAlertId);
const read = { tag: 'Alerts', access: { scope: 'alerts:read', role: 'viewer' } } as const;
const write = { tag: 'Alerts', access: { scope: 'alerts:write', role: 'member' } } as const;
const settings = (body: object) => body as Parameters<typeof createAlert>[1];

const verb = verbsWith<VerbContext & NotificationProgram>();

export const alertVerbs = [
  verb({
    ...read,
    name: 'alert-type list',
    at: 'GET /alert-types',
    title: 'List the alert types',
    description: 'What an alert can watch for, with the unit of its threshold and the words for its values.',
    answer: AlertTypesSchema,
    columns: ['type', 'title', 'unit_title', 'max_threshold', 'condition'],
    run: () => alertTypeViews(),
  }),
  verb({
    ...read,
    name: 'alert list',
    at: 'GET /alerts',
    title: 'List the alerts',
    page: '/alerts',
    description: 'Newest first.',
    query: OrgIdQuery,
    answer: AlertsSchema,
    columns: ['id', 'name', 'alert_type', 'threshold_amount', 'check_frequency', 'enabled', 'state'],
    isWhole: true,
    run: async (ctx) => {
      const now = ctx.clock.now();
      const reachOf = await readReach(ctx, ctx.actor.orgId);
      return { alerts: (await listAlerts(ctx)).map((alert) => listedAlert(alert, now, reachOf)) };
    },
  }),
  verb({
    ...write,
    name: 'alert create',
    at: 'POST /alerts',
    title: 'Create an alert',
    page: '/alerts/new',
    description: 'An organization can have 500 alerts.',
    query: OrgIdQuery,
    body: NewAlertBody,
    status: 201,
    answer: AlertSchema,
    isWhole: true,
    faults: [409],
    run: async (ctx, { body }) => alertView(ctx, await createAlert(ctx, settings(body))),
  }),
  verb({
    ...read,
    name: 'alert get',
    at: 'GET /alerts/:id',
    title: 'Get an alert',
    page: '/alerts/:id',
    params,
    answer: AlertSchema,
    isWhole: true,
    faults: [404],
    run: async (ctx, { params: { id } }) => alertView(ctx, await getAlert(ctx, id)),
  }),
  verb({
    ...write,
    name: 'alert update',
    at: 'PUT /alerts/:id',
    title: 'Change an alert',
    description:
      'Changes the fields that you send. A changed rule, or disabling the alert, resolves its open trigger. ' +
      'A new `alert_type` needs a `threshold_amount` in its unit.',
    params,
    body: AlertChangesBody,
    answer: AlertSchema,
    isWhole: true,
    faults: [404],
    run: async (ctx, { params: { id }, body }) => {
      const { alert, warnings } = await updateAlert(ctx, id, settings(body));
      return alertView(ctx, alert, warnings);
    },
  }),
  verb({
    ...write,
    name: 'alert delete',
    at: 'DELETE /alerts/:id',
    title: 'Delete an alert',
    params,
    answer: DeletedAlert,
    isWhole: true,
    faults: [404],
    run: async (ctx, { params: { id } }) => {
      await deleteAlert(ctx, id);
      return { message: 'The alert was deleted.' };
    },
  }),
  verb({
    ...write,
    name: 'alert check',
    at: 'POST /alerts/:id/check',
    title: 'Check an alert now',
    description:
      'Includes today so far. An anomaly compares today with the same hours of earlier days, so a check at noon ' +
      'compares half days with half days. Runcost records a new trigger and notifies people. A condition that ' +
      'was already announced notifies nobody again. A disabled alert only reports whether its condition holds.',
    params,
    answer: CheckSchema,
    isWhole: true,
    faults: [404],
    run: async (ctx, { params: { id } }) => {
      const { notificationSent, ...check } = await checkAlert(ctx, id, 'us');
      return checkView(check, notificationSent, await warningsOf(ctx, check.alert));
    },
  }),
  verb({
    ...read,
    name: 'alert measure',
    at: 'GET /alerts/measurements',
    title: 'Measure all alerts',
    assistant: true,
    description:
      'Returns the current value of each enabled alert: for a budget its period so far and its forecast, for an ' +
      'anomaly the value of its last scheduled check. Stores nothing and notifies nobody.',
    answer: MeasurementsSchema,
    columns: ['name', 'current_value', 'threshold_value', 'forecast.rounded', 'forecast.over_on'],
    run: async (ctx) => ({ measurements: (await measureAlerts(ctx)).map(measurementView) }),
  }),
  verb({
    ...read,
    name: 'alert preview',
    at: 'POST /alerts/preview',
    title: 'Preview an alert',
    description:
      'Returns when an alert with these settings would have triggered over the last 90 days (30 on the free plan) and ' +
      'today so far, and a suggested threshold above normal periods. Stores nothing.',
    body: NewAlertBody,
    answer: PreviewSchema,
    run: async (ctx, { body }) => previewView(await previewAlert(ctx, settings(body))),
  }),
  verb({
    ...read,
    name: 'alert reach',
    at: 'POST /alerts/reach',
    title: 'See whom an alert reaches',
    description: 'Whom an alert with these settings would notify now, and why others would get nothing.',
    body: ReachBody,
    answer: ReachSchema,
    run: async (ctx, { body }) => {
      const routed = await readRouted(ctx, settings(body));
      return {
        reaches: (await readReach(ctx, ctx.actor.orgId))(routed).map(apiFields),
        warnings: await reachWarnings(ctx, { ...routed, orgId: ctx.actor.orgId }),
      };
    },
  }),
  verb({
    ...write,
    name: 'alert test',
    at: 'POST /alerts/test',
    title: 'Send a test message to whom an alert reaches',
    description:
      'Sends one to everybody whom an alert with these settings would notify now. Responds within 20 seconds, with 200 ' +
      'even if a receiver refuses it, and with 409 if the alert reaches nobody.',
    body: ReachBody,
    answer: TestedReach,
    faults: [409],
    run: async (ctx, { body }) => ({
      receivers: (await testReach(ctx, await readRouted(ctx, settings(body)))).map(apiFields),
    }),
  }),
  verb({
    ...read,
    name: 'alert trigger list',
    at: 'GET /alerts/:id/triggers',
    title: 'List the triggers of an alert',
    description: 'Newest first.',
    params,
    query: PageQuery,
    answer: TriggersSchema,
    columns: ['id', 'triggered_at', 'current_value', 'threshold_value', 'resolved_at', 'resolution'],
    isWhole: true,
    faults: [404],
    run: async (ctx, { params: { id }, query }) => {
      const page = readPagination(query);
      const { triggers, total } = await listTriggers(ctx, id, page);
      return { triggers: triggers.map(triggerView), pagination: paginationView(page, total) };
    },
  }),
  verb({
    ...read,
    name: 'alert trigger get',
    at: 'GET /alerts/:id/triggers/:trigger_id',
    title: 'Explain a trigger',
    description: 'Splits the change by workflow into volume, duration, price and mix of runners.',
    params: TriggerParams,
    answer: ExplainedTriggerSchema,
    faults: [404],
    run: async (ctx, { params: { id, trigger_id } }) =>
      explainedTriggerView(await getTrigger(ctx, id, trigger_id)),
  }),
  verb({
    ...write,
    name: 'alert trigger acknowledge',
    at: 'POST /alerts/:id/triggers/:trigger_id/acknowledge',
    title: 'Acknowledge a trigger',
    description:
      'Records that you look after the trigger. The first person stays: a second call changes nothing. It does not ' +
      'resolve the trigger or stop notifications.',
    params: TriggerParams,
    body: nullable(AcknowledgeBody),
    answer: TriggerSchema,
    faults: [404],
    run: async (ctx, { params: { id, trigger_id }, body }) =>
      triggerView(await acknowledgeTrigger(ctx, id, { triggerId: trigger_id, note: body?.note ?? null })),
  }),
];
