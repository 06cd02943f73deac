import { randomUUID } from 'node:crypto';
import type { Context, Program } from '../../context.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { cliActor, hasRole, type Plan } from '../../platform/lib/actor.ts';
import { ourFields } from '../../platform/lib/apiFields.ts';
import type { Day } from '../../platform/lib/days.ts';
import { invalid, notFound, PublicError } from '../../platform/lib/errors.ts';
import { nearestOf } from '../../platform/lib/text.ts';
import { differences, recordAudit } from '../audit/audit.ts';
import {
  type ChangedCosts,
  changeOrganization,
  findNamesInAddresses,
  findOrganization,
  findOrganizations,
  insertOrganization,
  type LockedCosts,
  lockOrganizations,
  lockRow,
  type OrganizationRow,
  raiseCostsVersion,
} from './queries.ts';
import type { WeekStart } from './tables.ts';

export type Organization = {
  orgId: string;
  name: string;
  login: string | null;
  plan: Plan;
  calendar: Calendar;
  retention: Retention;
  createdAt: Date;
  updatedAt: Date;
};

export type Calendar = Pick<OrganizationRow, 'timeZone' | 'fiscalYearStartMonth' | 'weekStart'>;

/** `detailsFrom` is the first day whose runs are kept; null if no runs have been removed. */
export type Retention = Pick<OrganizationRow, 'runRetentionDays' | 'detailsFrom'>;

export { doAllStoreJobFacts, clearFormerChat, storeJobFacts } from './queries.ts';
export { weekStarts, type WeekStart } from './tables.ts';

type ReadContext = Pick<Context, 'db'> & { actor: Pick<Context['actor'], 'orgId'> };

export async function getOrganization({ db, actor }: ReadContext): Promise<Organization> {
  const row = await findOrganization(db, actor.orgId);
  if (!row) throw notFound('organization');
  return organizationOf(row);
}

/** Checks no access: only for the program and its command line. */
export async function listOrganizations({ db }: Pick<Context, 'db'>): Promise<Organization[]> {
  return (await findOrganizations(db)).map(organizationOf);
}

type Named = Awaited<ReturnType<typeof findNamesInAddresses>>[number];

/** By id: a stable name for URLs, which is readable if the organization has a login. */
export async function namesInAddresses(db: Database, orgIds: readonly string[]): Promise<Map<string, Named>> {
  return new Map((await findNamesInAddresses(db, orgIds)).map((each) => [each.id, each]));
}

/** Marks the organization of `runcost demo`. No provider has such a name. */
export const demoLogin = 'runcost--demo';

export function isDemo({ login }: Pick<Organization, 'login'>): boolean {
  return login === demoLogin;
}

function organizationOf(row: OrganizationRow): Organization {
  const { orgId, name, login, plan, createdAt, updatedAt } = row;
  const { timeZone, fiscalYearStartMonth, weekStart } = row;
  const calendar = { timeZone, fiscalYearStartMonth, weekStart };
  const retention = { runRetentionDays: row.runRetentionDays, detailsFrom: row.detailsFrom };
  return { orgId, name, login, plan, calendar, retention, createdAt, updatedAt };
}

/** On the `team` plan. Checks no access: only for the program and its command line. */
export async function createOrganization(program: Program, input: NewOrganization): Promise<string> {
  return program.db.transaction().execute(async (tx) => {
    await lockOrganizations(tx);
    return addOrganization(tx, program, input);
  });
}

/** Null if one besides the demo exists. Of several servers on a new database, one creates it. */
export async function createFirstOrganization(
  program: Program,
  input: NewOrganization,
): Promise<string | null> {
  return program.db.transaction().execute(async (tx) => {
    await lockOrganizations(tx);
    if ((await findOrganizations(tx)).some((organization) => !isDemo(organization))) return null;
    return addOrganization(tx, program, input);
  });
}

type NewOrganization = { name: string; login?: string };

async function addOrganization(tx: Transaction, program: Program, input: NewOrganization): Promise<string> {
  const orgId = randomUUID();
  const now = program.clock.now();
  await insertOrganization(tx, {
    orgId,
    name: input.name,
    login: input.login ?? null,
    plan: 'team',
    createdAt: now,
    updatedAt: now,
  });
  await recordAudit(tx, { ...program, actor: cliActor(orgId) }, 'organization.create', orgId, input);
  return orgId;
}

export type OrganizationChanges = {
  name?: string;
  login?: string | null;
  plan?: Plan;
  time_zone?: string;
  fiscal_year_start_month?: number;
  week_start?: WeekStart;
  run_retention_days?: number | null;
};

/** A field of the organization that a later wing stores. */
export type AddedField<C = Context, View = unknown, Given = unknown> = {
  view: (ctx: C) => Promise<View>;
  /** Checks the given value. Returns what the audit log says, and what to do in the transaction. */
  plan: (ctx: C, given: Given) => Promise<AddedChange>;
};
type AddedChange = { before: unknown; after: unknown; save: (tx: Transaction) => Promise<void> };

/** `added` are the changes of fields of later wings, by name. */
export async function updateOrganization(
  ctx: Context,
  settings: OrganizationChanges,
  added: Record<string, AddedChange> = {},
): Promise<Organization> {
  const { db, actor, clock } = ctx;
  const current = await getOrganization(ctx);
  if (settings.plan && settings.plan !== current.plan && !hasRole(actor.role, 'owner')) {
    throw new PublicError('forbidden', 'role_too_low', 'Only an owner can change the plan.');
  }
  const given = { ...settings, ...zoneIn(settings) };
  if (given.login === demoLogin && current.login !== demoLogin)
    throw invalid('login', 'is reserved for the demo. Choose another.');
  const { name, login, plan, calendar, retention } = current;
  const { runRetentionDays: run_retention_days } = retention;
  const changed = differences(
    { name, login, plan, ...calendarView(calendar), run_retention_days, ...valuesOf(added, 'before') },
    { ...given, ...valuesOf(added, 'after') },
  );
  if (!changed) return current;
  await db.transaction().execute(async (tx) => {
    await changeOrganization(tx, actor.orgId, { ...ourFields(given), updatedAt: clock.now() });
    for (const { save } of Object.values(added)) await save(tx);
    await recordAudit(tx, ctx, 'organization.update', actor.orgId, changed);
  });
  return getOrganization(ctx);
}

function valuesOf(added: Record<string, AddedChange>, which: 'before' | 'after') {
  return Object.fromEntries(Object.entries(added).map(([name, change]) => [name, change[which]]));
}

export function calendarView({ timeZone, fiscalYearStartMonth, weekStart }: Calendar) {
  return { time_zone: timeZone, fiscal_year_start_month: fiscalYearStartMonth, week_start: weekStart };
}

/** Corrects the case of letters: `europe/berlin` is `Europe/Berlin`. */
function zoneIn({ time_zone: zone }: OrganizationChanges): { time_zone?: string } {
  if (zone === undefined) return {};
  const found = knownZone(zone);
  if (found !== null) return { time_zone: found };
  const nearest = nearestOf(zone, Intl.supportedValuesOf('timeZone'));
  const meant = nearest ? `; did you mean ${nearest}?` : '';
  throw invalid(
    'time_zone',
    `must be the IANA name of a time zone, such as Europe/Berlin or UTC; "${zone}" is not one${meant}`,
  );
}

/** Null for an unknown zone, and for a fixed offset from UTC such as `+02:00`. */
function knownZone(zone: string): string | null {
  if (!/^[a-z]/i.test(zone)) return null;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions();
    // Some zones have two names, so the answer can be the other one.
    return timeZone.toLowerCase() === zone.toLowerCase() ? timeZone : zone;
  } catch {
    return null;
  }
}

/** The transaction must hold the organization's lock. */
export function changeDetailsFrom(tx: Transaction, orgId: string, detailsFrom: Day | null): Promise<void> {
  return changeOrganization(tx, orgId, { detailsFrom });
}

/** These settings live in the organization's row, because recording reads that row anyway. */
export type PriceSettings = Pick<OrganizationRow, 'priceBookId' | 'priceBookChosenAt'>;

export async function getPriceSettings(db: Database, orgId: string): Promise<PriceSettings> {
  const row = await findOrganization(db, orgId);
  if (!row) throw notFound('organization');
  const { priceBookId, priceBookChosenAt } = row;
  return { priceBookId, priceBookChosenAt };
}

/** The transaction must hold the costs lock. */
export function changePriceSettings(
  tx: Transaction,
  orgId: string,
  changes: Partial<PriceSettings> & { updatedAt: Date },
): Promise<void> {
  return changeOrganization(tx, orgId, changes);
}

/** Rows that refer to the organization can still be added. Throws if it is deleted. */
export async function lockOrganization(tx: Transaction, orgId: string): Promise<void> {
  if (!(await lockRow(tx, orgId))) throw notFound('organization');
}

type Cap = {
  /** Plural, such as `tokens`. */
  things: string;
  max: number;
  count: () => Promise<number>;
  advice: string;
};

export async function requireRoom(
  tx: Transaction,
  orgId: string,
  { things, max, count, advice }: Cap,
): Promise<void> {
  await lockOrganization(tx, orgId);
  if ((await count()) < max) return;
  const message = `An organization can have at most ${max.toLocaleString('en-US')} ${things}. ${advice}`;
  throw new PublicError('conflict', `too_many_${things.replaceAll(' ', '_')}`, message);
}

/** And marks its budgets for a check. Throws if the organization is deleted. */
export async function lockCosts(tx: Transaction, orgId: string): Promise<LockedCosts> {
  const locked = await raiseCostsVersion(tx, orgId);
  if (!locked) throw notFound('organization');
  return locked;
}

/** Undefined if another transaction has the lock, or the organization is deleted. */
export { raiseFreeCostsVersion as lockFreeCosts } from './queries.ts';

/** Every change under the cost lock raises the version: of costs, prices, ownership rules and alerts. */
export async function getCostsVersion(db: Database, orgId: string): Promise<bigint> {
  const row = await findOrganization(db, orgId);
  if (!row) throw notFound('organization');
  return row.costsVersion;
}

/** Waits, because with `skip locked` a busy organization would never get its turn. */
export { lockChangedRow as lockChangedCosts } from './queries.ts';

export function saveCostsChecked(tx: Transaction, { orgId, costsVersion }: ChangedCosts): Promise<void> {
  return changeOrganization(tx, orgId, { costsCheckedVersion: costsVersion });
}
