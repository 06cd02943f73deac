import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import { Type } from 'typebox';
import type { Program } from '../../context.ts';
import { getCosts } from '../../ledger/costs/costs.ts';
import { createCoalescer } from '../../platform/db/coalesce.ts';
import { problemAnswer } from '../../platform/http/problem.ts';
import { sampleText } from '../../platform/http/schemas.ts';
import {
  addDays,
  dayOf,
  windowBetween,
  windowEnding,
  type Day,
  type Window,
} from '../../platform/lib/days.ts';
import { readBadge, type Badge, type OpenedShareLink } from '../../tenancy/shareLinks/shareLinks.ts';
import { badgeSvg, shortDollars } from './badgeSvg.ts';
import { createShareLinkOpener } from './openShareLink.http.ts';

const kinds = ['badge'] as const;

/** Sites show badges through their own caches, so a revoked badge can stay visible for this long. */
const maxAgeSeconds = 300;

type Period = NonNullable<Badge['period']>;

const labels: Record<Period, string> = {
  month: 'CI this month',
  last_month: 'CI last month',
  '30_days': 'CI last 30 days',
  '7_days': 'CI last 7 days',
};

const Svg = (description: string) => ({
  description,
  content: { 'image/svg+xml': { schema: sampleText('<svg xmlns="http://www.w3.org/2000/svg">…') } },
});
const sampleLink =
  'runcost_share_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_5c1f0a9e7b3d4826f1a0_Xq3vT8mZ1kR5wN7yB2cD4fG6hJ9lP0sA-uEiOxKtVzY';

export function badgeRoutes(program: Program & { log: Logger }): FastifyPluginCallbackTypebox {
  const openShareLink = createShareLinkOpener(program);
  const coalesce = createCoalescer<string>();
  return (server, _options, done) => {
    server.setErrorHandler((error, request, reply) => {
      const { status } = problemAnswer(error, request, reply);
      return sendBadge(
        reply.status(status === 401 ? 404 : status),
        badgeSvg('CI cost', 'not available'),
        'no-store',
      );
    });
    server.get(
      '/badge/:link.svg',
      {
        config: { access: 'public' },
        schema: {
          tags: ['Share links'],
          summary: 'Show a badge',
          description:
            'An image with what CI cost, for a README or a wiki. The answer to creating the badge has its address. ' +
            'Caches may keep it for five minutes, so a revoked badge can stay visible that long.',
          security: [],
          params: Type.Object({ link: Type.String({ examples: [sampleLink] }) }),
          response: { 200: Svg('The badge'), 404: Svg('The badge has ended, or never was') },
        },
      },
      async (request, reply) => {
        const opened = await openShareLink(request, { text: request.params.link, kinds });
        const key = `${opened.actor.orgId} ${opened.share.id}`;
        const svg = await coalesce(key, () => drawBadge(program, opened));
        return sendBadge(reply, svg, `public, max-age=${maxAgeSeconds}`);
      },
    );
    done();
  };
}

/** Other sites embed the badge. */
function sendBadge(reply: FastifyReply, svg: string, cacheControl: string): FastifyReply {
  return reply
    .headers({
      'cache-control': cacheControl,
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    })
    .type('image/svg+xml; charset=utf-8')
    .send(svg);
}

async function drawBadge(
  program: Program & { log: Logger },
  { share, actor }: OpenedShareLink,
): Promise<string> {
  const { period, label = labels[period], repository, team } = readBadge(share.query);
  const { total } = await getCosts(
    { ...program, actor },
    {
      window: windowOf(period, dayOf(program.clock.now())),
      groupBy: [],
      metric: 'cost',
      granularity: 'total',
      compare: 'none',
      sort: '-value',
      limit: 1,
      filters: [
        ...(repository === undefined
          ? []
          : [{ dimension: 'repository' as const, values: [`=${repository}`] }]),
        ...(team === undefined ? [] : [{ dimension: 'team' as const, values: [`=${team}`] }]),
      ],
    },
  );
  return badgeSvg(label, shortDollars(total.value));
}

function windowOf(period: Period, today: Day): Window {
  const first = (day: Day) => `${day.slice(0, 8)}01`;
  if (period === 'month') return windowBetween(first(today), today);
  const end = addDays(first(today), -1);
  if (period === 'last_month') return windowBetween(first(end), end);
  return windowEnding(today, period === '30_days' ? 30 : 7);
}
