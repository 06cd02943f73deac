import { listHostedRunners } from '../../ledger/pricing/hostedRunners.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { usdOrNull } from '../../platform/lib/money.ts';
import type { BackfillProgram } from '../backfills/backfill.ts';
import { findLastRead } from './queries.ts';
import { readHostedRunners } from './readHostedRunners.ts';
import { HostedRunnersSchema, ReadBody } from './schema.ts';

const verb = verbsWith<VerbContext & BackfillProgram>();

const common = { tag: 'Pricing', answer: HostedRunnersSchema } as const;

export const hostedRunnerVerbs = [
  verb({
    ...common,
    access: { scope: 'costs:read', role: 'viewer' },
    name: 'hosted-runner list',
    at: 'GET /hosted-runners',
    title: "List GitHub's larger runners",
    description:
      "The larger runners of your GitHub organizations, as GitHub's list says: their names are labels, and these labels " +
      'get the price of their size. Runcost reads the list every night. A runner that GitHub lists no longer stays, ' +
      'because past jobs ran on it.',
    page: '/settings/pricing',
    columns: [
      'name',
      'owner',
      'platform',
      'size',
      'image',
      'runner_kind',
      'usd_per_minute',
      ['first_day', 'since'],
    ],
    run: (ctx) => hostedRunnersView(ctx),
  }),
  verb({
    ...common,
    access: { scope: 'admin', role: 'admin' },
    name: 'hosted-runner read',
    at: 'POST /hosted-runners/read',
    title: "Read GitHub's list of larger runners now",
    description:
      'With the credentials of your GitHub sources, which need the organization permission "Administration: read" (a ' +
      'classic token: the scope `manage_runners:org`; for an enterprise `manage_runners:enterprise`). New jobs get the ' +
      'price of the listed size; recorded jobs keep theirs until you reprice them. `problems` says what could not be read.',
    body: ReadBody,
    bodyIsOptional: true,
    faults: [409],
    run: async (ctx, { body }) => {
      await readHostedRunners(ctx, body);
      return hostedRunnersView(ctx);
    },
  }),
];

async function hostedRunnersView(ctx: VerbContext) {
  const { enterprise, triedAt, problems } = (await findLastRead(ctx.db, ctx.actor.orgId)) ?? {
    enterprise: null,
    triedAt: null,
    problems: [],
  };
  const runners = await listHostedRunners(ctx);
  return {
    runners: runners.map((runner) => ({
      ...apiFields(runner),
      usd_per_minute: usdOrNull(runner.nanosPerMinute),
    })),
    enterprise,
    tried_at: triedAt,
    problems,
  };
}
