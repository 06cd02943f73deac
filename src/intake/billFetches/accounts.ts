import type { Transaction } from '../../platform/db/database.ts';
import { taskView } from '../../platform/http/views.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { invalid, notFound, PublicError } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import type { Clock } from '../../platform/lib/time.ts';
import { addTask, cancelTask, isUnderWay } from '../../platform/work/tasks.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { tasksOf } from '../../tenancy/audit/tasks.ts';
import { waitOf, type BackfillContext } from '../backfills/backfill.ts';
import { activeRepositories } from '../backfills/nightly.ts';
import { chooseSource, findReadingSources } from '../backfills/startBackfill.ts';
import {
  fetchKind,
  type AccountKind,
  type BillFetch,
  type FetchInput,
  type FetchState,
  unitsOf,
} from './fetch.ts';
import { lastWholeDay, monthsToFetch } from './months.ts';
import { accountRows, type AccountRow, findLatestFetches, insertAccount, storedMonths } from './queries.ts';

export type Account = AccountRow & { fetch: BillFetch | null };
export type Suggestion = Pick<AccountRow, 'kind' | 'login' | 'sourceId'>;

const maxAccounts = 50;

export async function listAccounts(
  ctx: BackfillContext,
): Promise<{ accounts: Account[]; suggested: Suggestion | null }> {
  const { actor, db } = ctx;
  const { orgId } = actor;
  const rows = await accountRows.list(db, { orgId }, 'createdAt', 'id');
  const fetches = await findLatestFetches(db, orgId, fetchKind.name);
  const accounts = rows.map((row) => ({ ...row, fetch: fetches.get(row.id) ?? null }));
  return { accounts, suggested: await suggestAccount(ctx, rows) };
}

/** The owner of the repositories with the latest runs. Most bills are of organizations. */
async function suggestAccount(ctx: BackfillContext, known: AccountRow[]): Promise<Suggestion | null> {
  const [sourceId] = await findReadingSources(ctx);
  if (sourceId === undefined) return null;
  const names = await activeRepositories(ctx, ctx.actor.orgId, []);
  const owners = names.map((name) => name.split('/')[0]!);
  const has = (owner: string) => known.some(({ login }) => login.toLowerCase() === owner.toLowerCase());
  const login = owners.find((owner) => !has(owner));
  return login === undefined ? null : { kind: 'organization', login, sourceId };
}

export type NewAccount = {
  kind?: AccountKind | undefined;
  login?: string | undefined;
  sourceId?: string | undefined;
};

/** Starts the first fetch at once. */
export async function createAccount(ctx: BackfillContext, asked: NewAccount): Promise<Account> {
  const { actor, clock, db } = ctx;
  const { orgId } = actor;
  const sourceId = await chooseSource(ctx, asked.sourceId);
  const login = asked.login ?? (await suggestAccount(ctx, []))?.login;
  if (login === undefined)
    throw invalid('login', 'is required: no repository of GitHub had a run in the last 30 days');
  return db.transaction().execute(async (tx) => {
    const { kind = 'organization' } = asked;
    if ((await accountRows.count(tx, { orgId })) >= maxAccounts)
      throw new PublicError(
        'conflict',
        'too_many_accounts',
        `An organization has at most ${maxAccounts} bill accounts.`,
      );
    const row = { orgId, id: randomId('bac'), kind, login, sourceId, createdAt: clock.now() };
    const account = await insertAccount(tx, row);
    if (!account)
      throw new PublicError(
        'conflict',
        'account_exists',
        `The bill of the ${kind} ${login} is fetched already.`,
      );
    await recordAudit(tx, ctx, 'bill_account.create', account.id, { kind, login, source_id: sourceId });
    const fetch = await addFetch(tx, clock, account, { isNightly: false });
    return { ...account, fetch };
  });
}

/** What was fetched stays. */
export async function deleteAccount(ctx: BackfillContext, id: string): Promise<void> {
  const { actor, clock, db } = ctx;
  const key = { orgId: actor.orgId, id };
  await db.transaction().execute(async (tx) => {
    const account = await accountRows.lock(tx, key);
    if (!account) throw notFound('bill account');
    const fetch = await latestFetch(tx, account);
    if (fetch && isUnderWay(fetch)) await cancelTask(tx, clock, fetchKind, fetch);
    await accountRows.remove(tx, key);
    await recordAudit(tx, ctx, 'bill_account.delete', id, { login: account.login });
  });
}

/** Returns the fetch that is under way, if there is one. */
export async function startFetch(ctx: BackfillContext, asked: string | undefined): Promise<BillFetch> {
  const { actor, clock, db } = ctx;
  const id = asked ?? (await onlyAccount(ctx));
  return db.transaction().execute(async (tx) => {
    const account = await accountRows.lock(tx, { orgId: actor.orgId, id });
    if (!account) throw invalid('account_id', 'is not a bill account');
    const latest = await latestFetch(tx, account);
    if (latest && isUnderWay(latest)) return latest;
    const fetch = await addFetch(tx, clock, account, { isNightly: false });
    await recordAudit(tx, ctx, 'bill_fetch.start', fetch.id, { login: account.login });
    return fetch;
  });
}

async function onlyAccount({ actor, db }: BackfillContext): Promise<string> {
  const [only, ...others] = await accountRows.list(db, { orgId: actor.orgId }, 'createdAt');
  if (only && others.length === 0) return only.id;
  throw invalid(
    'account_id',
    only
      ? 'is required: there are several bill accounts'
      : 'is missing: connect an account first (POST /api/v1/bills/accounts, or the Bill page)',
  );
}

export async function latestFetch(
  tx: Transaction,
  { orgId, id }: AccountRow,
): Promise<BillFetch | undefined> {
  return (await findLatestFetches(tx, orgId, fetchKind.name)).get(id);
}

export function addFetch(
  tx: Transaction,
  clock: Clock,
  account: AccountRow,
  { isNightly }: { isNightly: boolean },
): Promise<BillFetch> {
  const until = lastWholeDay(clock.now());
  const months = monthsToFetch(storedMonths(account), until);
  return addTask<FetchInput, FetchState>(tx, clock, fetchKind, {
    orgId: account.orgId,
    input: { accountId: account.id, months, until, isNightly },
    state: { left: months, report: null, wait: null, failures: 0 },
    total: unitsOf(account.kind, months, until),
  });
}

export const {
  get: getFetch,
  list: listFetches,
  cancel: cancelFetch,
} = tasksOf<FetchInput, FetchState>(fetchKind, 'bill_fetch.cancel');

export function fetchView(fetch: BillFetch, now: Date) {
  const { input } = fetch;
  const wait = waitOf(fetch, now);
  return {
    id: fetch.id,
    account_id: input.accountId,
    is_nightly: input.isNightly,
    months: input.months,
    waiting: wait && { until: new Date(wait.until), reason: wait.reason, message: wait.message ?? null },
    ...taskView(fetch),
  };
}

export function accountView({ fetch, months, ...account }: Account, now: Date) {
  const stored = Object.values(storedMonths({ months }));
  const latest = (values: (string | null)[]) =>
    values
      .filter((value) => value !== null)
      .toSorted()
      .at(-1) ?? null;
  const fetchedAt = latest(stored.map(({ at }) => at));
  return {
    ...apiFields(account),
    months_stored: stored.length,
    fetched_at: fetchedAt === null ? null : new Date(fetchedAt),
    fetched_until: latest(stored.map(({ lastDay }) => lastDay)),
    fault: fetch?.status === 'failed' ? fetch.error : null,
    fetch: fetch && fetchView(fetch, now),
  };
}
