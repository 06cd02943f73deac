import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { dayOf } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { getPriceSettings, lockCosts } from '../../tenancy/organizations/organizations.ts';
import { findBook } from './books.ts';
import { priceAt } from './priceBook.ts';
import type { ListedRunner } from './provider.ts';
import { findHostedRunners, saveHostedRunner, type HostedRunnerRow } from './queries.ts';

export type FoundRunner = ListedRunner & { image: string | null };

/** Returns the names of runners that are new or have other facts than before. Runners that are gone stay known. */
export async function saveHostedRunners(
  tx: Transaction,
  { orgId, owner, now }: { orgId: string; owner: string; now: Date },
  found: readonly FoundRunner[],
): Promise<string[]> {
  await lockCosts(tx, orgId);
  const known = (await findHostedRunners(tx, orgId)).filter((row) => row.owner === owner);
  const changed: string[] = [];
  for (const runner of found) {
    const before = known.findLast(({ name }) => name === runner.name);
    const isSame = before !== undefined && isDeepStrictEqual(factsOf(before), factsOf(runner));
    if (!isSame) changed.push(runner.name);
    const firstDay = isSame ? before.firstDay : dayOf(now);
    await saveHostedRunner(tx, { ...runner, orgId, owner, firstDay, readAt: now });
  }
  return changed;
}

function factsOf({ platform, size, cores }: ListedRunner) {
  return { platform, size, cores };
}

export type HostedRunner = Omit<HostedRunnerRow, 'orgId'> & {
  runnerKind: string | null;
  nanosPerMinute: Nanos | null;
};

/** The latest facts of each, with today's price of the chosen list. */
export async function listHostedRunners(
  ctx: Pick<Context, 'db' | 'actor' | 'providers' | 'clock'>,
): Promise<HostedRunner[]> {
  const { db, actor, providers, clock } = ctx;
  const { priceBookId } = await getPriceSettings(db, actor.orgId);
  const book = await findBook(ctx, actor.orgId, priceBookId);
  const lists = providers.list.find(({ listedRunners }) => listedRunners !== null)?.listedRunners;
  const rows = await findHostedRunners(db, actor.orgId);
  const latest = new Map(rows.map((row) => [`${row.owner} ${row.name}`, row]));
  return [...latest.values()].map(({ orgId: _, ...row }) => {
    const runnerKind = lists?.kindOf(row) ?? null;
    const price = runnerKind !== null && book ? priceAt(book, runnerKind, dayOf(clock.now())) : null;
    return { ...row, runnerKind, nanosPerMinute: price?.nanosPerMinute ?? null };
  });
}
