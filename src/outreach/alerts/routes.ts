import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { dataOf, idParams, nullable, OrgIdQuery, PageQuery, responses } from '../../platform/http/schemas.ts';
import { readPagination, paginationView } from '../../platform/http/views.ts';
import type { NotificationContext, NotificationProgram } from '../notifications/context.ts';
import {
  acknowledgeTrigger,
  createAlert,
  deleteAlert,
  getAlert,
  getTrigger,
  listAlerts,
  listTriggers,
  updateAlert,
  warningsOf,
} from './alerts.ts';
import { checkAlert } from './checkAlerts.ts';
import { MeasurementsSchema, PreviewSchema } from './measured.schema.ts';
import { measureAlerts } from './measurements.ts';
import { previewAlert } from './preview.ts';
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
  TriggerParams,
  TriggerSchema,
  TriggersSchema,
} from './schema.ts';
import {
  alertView,
  checkView,
  explainedTriggerView,
  listedAlert,
  measurementView,
  previewView,
  triggerView,
} from './views.ts';

const params = idParams(exampleAlertId);

const tags = ['Alerts'];
const reader = { access: { scope: 'alerts:read', role: 'viewer' } } as const;
const writer = { access: { scope: 'alerts:write', role: 'member' } } as const;
const settings = (body: object) => body as Parameters<typeof createAlert>[1];

type ContextOf = (request: FastifyRequest) => NotificationContext;

export function alertRoutes(program: NotificationProgram): FastifyPluginCallbackTypebox {
  const contextOf: ContextOf = (request) => ({ ...program, ...request.ctx });

  return (server, _options, done) => {
    server.get(
      '/alerts',
      {
        config: reader,
        schema: {
          tags,
          summary: 'List the alerts',
          description: 'Newest first.',
          querystring: OrgIdQuery,
          response: responses(200, AlertsSchema),
        },
      },
      async (request) => {
        const now = program.clock.now();
        const alerts = await listAlerts(contextOf(request));
        return { alerts: alerts.map((alert) => listedAlert(alert, now)) };
      },
    );

    server.post(
      '/alerts',
      {
        config: writer,
        schema: {
          tags,
          summary: 'Create an alert',
          description: 'An organization can have 500 alerts.',
          querystring: OrgIdQuery,
          body: NewAlertBody,
          response: responses(201, AlertSchema, [409]),
        },
      },
      async (request, reply) => {
        const ctx = contextOf(request);
        return reply.status(201).send(await alertView(ctx, await createAlert(ctx, settings(request.body))));
      },
    );

    server.register(oneAlertRoutes(contextOf));
    server.register(checkRoutes(contextOf));
    server.register(triggerRoutes(contextOf));
    done();
  };
}

function oneAlertRoutes(contextOf: ContextOf): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/alerts/:id',
      {
        config: reader,
        schema: {
          tags,
          summary: 'Get an alert',
          params,
          response: responses(200, AlertSchema, [404]),
        },
      },
      async (request) => {
        const ctx = contextOf(request);
        return alertView(ctx, await getAlert(ctx, request.params.id));
      },
    );

    server.put(
      '/alerts/:id',
      {
        config: writer,
        schema: {
          tags,
          summary: 'Change an alert',
          description:
            'Changes the fields that you send. A changed rule, or disabling the alert, resolves its open trigger. ' +
            'A new `alert_type` needs a `threshold_amount` in its unit.',
          params,
          body: AlertChangesBody,
          response: responses(200, AlertSchema, [404]),
        },
      },
      async (request) => {
        const ctx = contextOf(request);
        const { alert, warnings } = await updateAlert(ctx, request.params.id, settings(request.body));
        return alertView(ctx, alert, warnings);
      },
    );

    server.delete(
      '/alerts/:id',
      {
        config: writer,
        schema: {
          tags,
          summary: 'Delete an alert',
          params,
          response: responses(200, DeletedAlert, [404]),
        },
      },
      async (request) => {
        await deleteAlert(contextOf(request), request.params.id);
        return { message: 'The alert was deleted.' };
      },
    );
    done();
  };
}

function checkRoutes(contextOf: ContextOf): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.post(
      '/alerts/:id/check',
      {
        config: writer,
        schema: {
          tags,
          summary: 'Check an alert now',
          description:
            'Includes today so far. An anomaly compares today with the same hours of earlier days, so a check at noon ' +
            'compares half days with half days. Runcost records a new trigger and notifies people. A condition that ' +
            'was already announced notifies nobody again. A disabled alert only reports whether its condition holds.',
          params,
          response: responses(200, CheckSchema, [404]),
        },
      },
      async (request) => {
        const ctx = contextOf(request);
        const { notificationSent, ...check } = await checkAlert(ctx, request.params.id, 'us');
        return checkView(check, notificationSent, await warningsOf(ctx, check.alert));
      },
    );

    server.get(
      '/alerts/measurements',
      {
        config: reader,
        schema: {
          tags,
          summary: 'Measure all alerts',
          description:
            'Returns the current value of each enabled alert: for a budget its period so far and its forecast, for an ' +
            'anomaly the value of its last scheduled check. Stores nothing and notifies nobody.',
          response: responses(200, dataOf(MeasurementsSchema)),
        },
      },
      async (request) => ({
        data: { measurements: (await measureAlerts(contextOf(request))).map(measurementView) },
      }),
    );

    server.post(
      '/alerts/preview',
      {
        config: reader,
        schema: {
          tags,
          summary: 'Preview an alert',
          description:
            'Returns when an alert with these settings would have triggered over the last 90 days (30 on the free plan) and ' +
            'today so far, and a suggested threshold above normal periods. Stores nothing.',
          body: NewAlertBody,
          response: responses(200, dataOf(PreviewSchema)),
        },
      },
      async (request) => ({
        data: previewView(await previewAlert(contextOf(request), settings(request.body))),
      }),
    );
    done();
  };
}

function triggerRoutes(contextOf: ContextOf): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/alerts/:id/triggers',
      {
        config: reader,
        schema: {
          tags,
          summary: 'List the triggers of an alert',
          description: 'Newest first.',
          params,
          querystring: PageQuery,
          response: responses(200, TriggersSchema, [404]),
        },
      },
      async (request) => {
        const page = readPagination(request.query);
        const { triggers, total } = await listTriggers(contextOf(request), request.params.id, page);
        return {
          triggers: triggers.map(triggerView),
          pagination: paginationView(page, total),
        };
      },
    );

    server.get(
      '/alerts/:id/triggers/:trigger_id',
      {
        config: reader,
        schema: {
          tags,
          summary: 'Explain a trigger',
          description: 'Splits the change by workflow into volume, duration, price and mix of runners.',
          params: TriggerParams,
          response: responses(200, dataOf(ExplainedTriggerSchema), [404]),
        },
      },
      async (request) => {
        const { id, trigger_id } = request.params;
        return { data: explainedTriggerView(await getTrigger(contextOf(request), id, trigger_id)) };
      },
    );

    server.post(
      '/alerts/:id/triggers/:trigger_id/acknowledge',
      {
        config: writer,
        schema: {
          tags,
          summary: 'Acknowledge a trigger',
          description:
            'Records that you look after the trigger. The first person stays: a second call changes nothing. It does not ' +
            'resolve the trigger or stop notifications.',
          params: TriggerParams,
          body: nullable(AcknowledgeBody),
          response: responses(200, dataOf(TriggerSchema), [404]),
        },
      },
      async (request) => {
        const { id, trigger_id } = request.params;
        const asked = { triggerId: trigger_id, note: request.body?.note ?? null };
        return { data: triggerView(await acknowledgeTrigger(contextOf(request), id, asked)) };
      },
    );
    done();
  };
}
