import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Type, type Static } from 'typebox';
import type { Program } from '../../context.ts';
import { getChange } from '../../ledger/costs/change.ts';
import type { CostQuestion } from '../../ledger/costs/costQuestion.ts';
import { getCostsTogether, type Costs } from '../../ledger/costs/costs.ts';
import { findUnusualRule } from '../../ledger/costs/unusualDays.ts';
import { createCoalescer } from '../../platform/db/coalesce.ts';
import { bearerOf, refuseOtherOrganization } from '../../platform/http/authenticate.ts';
import {
  dataOf,
  nullableObject,
  nullableText,
  responses,
  sampleText,
  Timestamp,
  words,
} from '../../platform/http/schemas.ts';
import { sharedCharts, sharedPages, type OpenedShareLink } from '../../tenancy/shareLinks/shareLinks.ts';
import { changeView } from './changeView.ts';
import { costsView, readableName } from './costsView.ts';
import { createShareLinkOpener } from './openShareLink.http.ts';
import { questionsOf } from './readShared.ts';
import { ChangeSchema, CostsSchema } from './schema.ts';

const SharedSchema = dataOf(
  Type.Object({
    organization_name: sampleText('Acme'),
    time_zone: sampleText('Europe/Berlin', 'in which the organization reads times'),
    shared_by: nullableText('Mona', 'null if no member made the link'),
    expires_at: Timestamp,
    page: words(sharedPages),
    chart: words(sharedCharts),
    query: sampleText('from=2026-03-01&to=2026-03-30&group_by=repository&granularity=day'),
    workflow_names: Type.Array(
      Type.Object({ id: sampleText('wf_e18db5f418965475a75a'), name: sampleText('CI (acme/api)') }),
      { description: 'of the workflows and runner kinds that the question filters by' },
    ),
    ranked: Type.Object(CostsSchema.properties, {
      description:
        'the question with the largest groups first: the chart. For bars and lines without a granularity: by day or week, of at most 7 groups',
    }),
    listed: Type.Object(CostsSchema.properties, { description: 'the question in the order of its table' }),
    detail: nullableObject(CostsSchema, 'the areas of a treemap; null for other charts'),
    change: nullableObject(ChangeSchema, 'why the cost changed, for the page `overview`'),
  }),
);

type Shared = Static<typeof SharedSchema>;

const kinds = ['link', 'embed'] as const;

export function sharedRoutes(program: Program & { log: Logger }): FastifyPluginCallbackTypebox {
  const openShareLink = createShareLinkOpener(program);
  const coalesce = createCoalescer<Shared>();
  const opened = new WeakMap<FastifyRequest, OpenedShareLink>();
  const open = async (request: FastifyRequest): Promise<void> => {
    const link = await openShareLink(request, { text: bearerOf(request) ?? '', kinds });
    refuseOtherOrganization(request, link.actor.orgId);
    opened.set(request, link);
  };

  return (server, _options, done) => {
    server.addHook('onRequest', open);
    server.addHook('onSend', (_request, reply, _payload, next) => {
      reply.header('cache-control', 'no-store');
      next();
    });
    server.get(
      '/shared',
      {
        config: { access: 'public' },
        schema: {
          tags: ['Share links'],
          summary: 'Open a share link',
          description:
            'Takes the secret of a link, the part after `#link=` in its address, as the bearer token. Answers ' +
            'the question that the link has; the link cannot ask anything else. After 20 failures in a minute for ' +
            'one address or link, more failures get 429.',
          security: [{ share: [] }],
          response: responses(200, SharedSchema),
        },
      },
      async (request) => {
        const link = opened.get(request)!;
        const key = `${link.actor.orgId} ${link.share.id}`;
        return coalesce(key, () => answerOf(program, link));
      },
    );
    done();
  };
}

async function answerOf(
  program: Program & { log: Logger },
  { share, actor, plan }: OpenedShareLink,
): Promise<Shared> {
  const { listed, ranked, detail, change } = questionsOf(share, { clock: program.clock, plan });
  const ctx = { ...program, actor };
  const [rankedCosts, listedCosts, detailCosts] = await getCostsTogether(ctx, [
    ranked,
    listed,
    ...(detail ? [detail] : []),
  ]);
  const { organizationName, timeZone, author, memberId, expiresAt, page, chart, query } = share;
  return {
    data: {
      organization_name: organizationName,
      shared_by: memberId && author,
      expires_at: expiresAt!,
      page,
      chart,
      query,
      time_zone: timeZone,
      workflow_names: filteredNames(ranked, rankedCosts!),
      ranked: costsView(ranked, rankedCosts!),
      listed: costsView(listed, listedCosts!),
      detail: detail && costsView(detail, detailCosts!),
      change:
        change &&
        changeView(change, { ...(await getChange(ctx, change, await findUnusualRule(ctx))), events: [] }),
    },
  };
}

function filteredNames({ filters }: CostQuestion, costs: Costs): { id: string; name: string }[] {
  const idsOf = (name: 'workflowId' | 'runner') =>
    filters
      .filter(({ dimension }) => dimension === name)
      .flatMap(({ values }) => values.map((value) => value.replace(/^!?=?/, '')));
  const named = (name: 'workflow' | 'runner') => (id: string) => ({
    id,
    name: readableName(name, id, costs),
  });
  return [
    ...idsOf('workflowId')
      .filter((id) => costs.workflows.has(id))
      .map(named('workflow')),
    ...idsOf('runner')
      .filter((id) => id !== '')
      .map(named('runner')),
  ];
}
