import type { ActorKind } from '../../ledger/actors/actorPattern.ts';
import type { Provider, Providers } from '../../ledger/pricing/provider.ts';
import { runnerTitle } from '../../ledger/pricing/runnerWords.ts';
import { divideHalfEven } from '../../platform/lib/money.ts';
import type { ChargeRow, DayRow, JobRow, RunRow } from './rows.queries.ts';

/** `decimal` holds billionths, also of dollars. `second` is an instant without milliseconds. */
export type ColumnKind =
  | 'text'
  | 'integer'
  | 'decimal'
  | 'instant'
  | 'second'
  | 'day'
  | 'boolean'
  | 'list'
  | 'object';

export type Cell = string | bigint | boolean | Date | string[] | Record<string, string | number> | null;

export type Column = { name: string; kind: ColumnKind; isNullable: boolean };

export type ColumnOf<Row> = Column & { cellOf: (row: Row) => Cell };

export function required<Row>(
  name: string,
  kind: ColumnKind,
  cellOf: (row: Row) => Exclude<Cell, null>,
): ColumnOf<Row> {
  return { name, kind, isNullable: false, cellOf };
}

export function optional<Row>(name: string, kind: ColumnKind, cellOf: (row: Row) => Cell): ColumnOf<Row> {
  return { name, kind, isNullable: true, cellOf };
}

/** By the patterns of now. */
export type OfKind = { actorKind: ActorKind | null };

export const runColumns: ColumnOf<RunRow & OfKind>[] = [
  required('run_id', 'text', (row) => row.id),
  required('workflow_id', 'text', (row) => row.workflowId),
  required('workflow_name', 'text', (row) => row.workflowName),
  required('repo_name', 'text', (row) => row.repository),
  required('provider', 'text', (row) => row.provider),
  optional('is_private', 'boolean', (row) => row.isPrivate),
  optional('event', 'text', (row) => row.event),
  optional('branch', 'text', (row) => row.branch),
  optional('actor', 'text', (row) => row.actor),
  required('attempt', 'integer', (row) => BigInt(row.attempt)),
  required('status', 'text', (row) => row.status),
  optional('conclusion', 'text', (row) => row.conclusion),
  optional('raw_conclusion', 'text', (row) => row.rawConclusion),
  required('created_at', 'instant', (row) => row.createdAt),
  optional('started_at', 'instant', (row) => row.startedAt),
  optional('completed_at', 'instant', (row) => row.completedAt),
  required('duration_seconds', 'integer', (row) => BigInt(row.durationSeconds)),
  required('cost', 'decimal', (row) => row.costNanos),
  optional('pull_request', 'integer', ({ pullRequest }) => integerOf(pullRequest)),
  optional('run_number', 'integer', ({ runNumber }) => integerOf(runNumber)),
  optional('commit', 'text', ({ commit }) => commit),
  optional('started_by', 'text', (row) => row.startedBy),
  optional('actor_kind', 'text', (row) => row.actorKind),
];

export const jobColumns: ColumnOf<JobRow & OfKind>[] = [
  required('run_id', 'text', (row) => row.runId),
  required('attempt', 'integer', (row) => BigInt(row.attempt)),
  required('job_id', 'text', (row) => row.jobId),
  optional('job_name', 'text', (row) => row.jobName),
  required('workflow_id', 'text', (row) => row.workflowId),
  required('workflow_name', 'text', (row) => row.workflowName),
  required('repo_name', 'text', (row) => row.repository),
  required('provider', 'text', (row) => row.provider),
  optional('is_private', 'boolean', (row) => row.isPrivate),
  optional('event', 'text', (row) => row.event),
  optional('branch', 'text', (row) => row.branch),
  optional('actor', 'text', (row) => row.actor),
  optional('run_conclusion', 'text', (row) => row.runConclusion),
  optional('raw_conclusion', 'text', (row) => row.rawConclusion),
  required('labels', 'list', (row) => row.labels),
  optional('runner_name', 'text', (row) => row.runnerName),
  optional('runner_group', 'text', (row) => row.runnerGroup),
  optional('runner_kind', 'text', (row) => row.runnerKind),
  required('runner_rule', 'text', (row) => row.runnerRule),
  optional('created_at', 'instant', (row) => row.createdAt),
  optional('started_at', 'instant', (row) => row.startedAt),
  required('completed_at', 'instant', (row) => row.completedAt),
  required('seconds', 'decimal', (row) => ranMilliseconds(row) * 1_000_000n),
  required('billed_minutes', 'integer', (row) => BigInt(row.billedMinutes)),
  required('price_per_minute', 'decimal', (row) => row.nanosPerMinute),
  required('cost', 'decimal', (row) => row.costNanos),
  required('is_unpriced', 'boolean', (row) => row.isUnpriced),
  required('flags', 'list', (row) => row.flags),
  optional('pull_request', 'integer', ({ pullRequest }) => integerOf(pullRequest)),
  optional('run_number', 'integer', ({ runNumber }) => integerOf(runNumber)),
  optional('commit', 'text', ({ commit }) => commit),
  optional('started_by', 'text', (row) => row.startedBy),
  optional('actor_kind', 'text', (row) => row.actorKind),
];

function integerOf(number: number | null): bigint | null {
  return number === null ? null : BigInt(number);
}

function ranMilliseconds({ startedAt, completedAt }: ChargeRow): bigint {
  return BigInt(startedAt ? Math.max(0, completedAt.getTime() - startedAt.getTime()) : 0);
}

/** Costs count on the day a job completed, runs on the day they were created. */
export const dayColumns: ColumnOf<DayRow>[] = [
  required('date', 'day', (row) => row.day),
  required('workflow_id', 'text', (row) => row.workflowId),
  required('workflow_name', 'text', (row) => row.workflowName),
  required('repo_name', 'text', (row) => row.repository),
  required('cost', 'decimal', (row) => row.costNanos),
  required('jobs', 'integer', (row) => row.jobs),
  required('billed_minutes', 'integer', (row) => row.billedMinutes),
  required('unpriced_minutes', 'integer', (row) => row.unpricedMinutes),
  required('runs', 'integer', (row) => row.runs),
  required('completed_runs', 'integer', (row) => row.completedRuns),
  required('successful_runs', 'integer', (row) => row.successfulRuns),
  required('skipped_runs', 'integer', (row) => row.skippedRuns),
  required('duration_seconds', 'integer', (row) => row.durationSeconds),
];

export type FocusRow = ChargeRow &
  OfKind & { organization: { id: string; name: string }; providers: Providers };

const cost = (row: FocusRow) => row.costNanos;
const serviceProvider = (row: FocusRow) => sellerOf(row)?.title ?? row.provider;
const owner = (row: FocusRow) => row.repository.split('/', 1)[0]!;

/** FOCUS 1.3: all mandatory columns (ProviderName and PublisherName until 1.4), others that a job fills, ours. */
export const focusColumns: ColumnOf<FocusRow>[] = [
  required('BilledCost', 'decimal', cost),
  required('BillingAccountId', 'text', (row) => row.organization.id),
  optional('BillingAccountName', 'text', (row) => row.organization.name),
  required('BillingCurrency', 'text', () => 'USD'),
  required('BillingPeriodEnd', 'second', (row) => monthOf(row.completedAt, 1)),
  required('BillingPeriodStart', 'second', (row) => monthOf(row.completedAt, 0)),
  required('ChargeCategory', 'text', () => 'Usage'),
  optional('ChargeClass', 'text', () => null),
  optional('ChargeDescription', 'text', describe),
  required('ChargeFrequency', 'text', () => 'Usage-Based'),
  required('ChargePeriodEnd', 'second', chargeEnd),
  required('ChargePeriodStart', 'second', chargeStart),
  required('ConsumedQuantity', 'decimal', consumedMinutes),
  required('ConsumedUnit', 'text', () => 'Minutes'),
  required('ContractedCost', 'decimal', cost),
  required('ContractedUnitPrice', 'decimal', (row) => row.nanosPerMinute),
  required('EffectiveCost', 'decimal', cost),
  required('HostProviderName', 'text', hostProvider),
  required('InvoiceIssuerName', 'text', serviceProvider),
  required('ListCost', 'decimal', cost),
  required('ListUnitPrice', 'decimal', (row) => row.nanosPerMinute),
  required('PricingCategory', 'text', () => 'Standard'),
  required('PricingQuantity', 'decimal', pricedMinutes),
  required('PricingUnit', 'text', () => 'Minutes'),
  required('ProviderName', 'text', serviceProvider),
  required('PublisherName', 'text', serviceProvider),
  // A repository can have several workflows with the same name.
  required('ResourceId', 'text', (row) => `${row.repository}/${row.workflowId}`),
  required('ResourceName', 'text', (row) => row.workflowName),
  required('ResourceType', 'text', () => 'Workflow'),
  required('ServiceCategory', 'text', () => 'Developer Tools'),
  required('ServiceName', 'text', (row) => sellerOf(row)?.service ?? row.provider),
  required('ServiceProviderName', 'text', serviceProvider),
  required('ServiceSubcategory', 'text', () => 'Continuous Integration and Deployment'),
  required('SkuId', 'text', skuOf),
  required('SkuMeter', 'text', () => 'Runner Minutes'),
  optional('SkuPriceDetails', 'object', skuDetails),
  required('SkuPriceId', 'text', skuOf),
  required('SubAccountId', 'text', owner),
  required('SubAccountName', 'text', owner),
  required('Tags', 'object', tagsOf),
  required('x_RunId', 'text', (row) => row.runId),
  required('x_RunAttempt', 'integer', (row) => BigInt(row.attempt)),
  required('x_JobId', 'text', (row) => row.jobId),
  optional('x_JobName', 'text', (row) => row.jobName),
  required('x_IsUnpriced', 'boolean', (row) => row.isUnpriced),
];

function sellerOf({ provider, providers }: FocusRow): Provider | null {
  const known = providers.of(provider);
  return known?.service && known.id === provider ? known : null;
}

function monthOf(instant: Date, later: number): Date {
  return new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth() + later, 1));
}

function secondOf(instant: Date): Date {
  return new Date(Math.floor(instant.getTime() / 1_000) * 1_000);
}

function chargeStart({ startedAt, completedAt }: FocusRow): Date {
  return secondOf(startedAt && startedAt < completedAt ? startedAt : completedAt);
}

/** The end is exclusive, so it must be at least a second after the start. */
function chargeEnd(row: FocusRow): Date {
  const completed = Math.ceil(row.completedAt.getTime() / 1_000) * 1_000;
  return new Date(Math.max(completed, chargeStart(row).getTime() + 1_000));
}

function consumedMinutes(row: FocusRow): bigint {
  return divideHalfEven(ranMilliseconds(row) * 1_000_000_000n, 60_000n);
}

/** Billionths of a minute, so that price times quantity is the cost even if the time was not rounded to minutes. */
function pricedMinutes({ billedMinutes, nanosPerMinute, costNanos }: FocusRow): bigint {
  const isWhole = nanosPerMinute === 0n || BigInt(billedMinutes) * nanosPerMinute === costNanos;
  if (isWhole) return BigInt(billedMinutes) * 1_000_000_000n;
  return divideHalfEven(costNanos * 1_000_000_000n, nanosPerMinute);
}

/** Only the provider's own runners have a known host. */
function hostProvider(row: FocusRow): string {
  const isOthers = row.runnerKind === null || ['self_hosted', 'third_party'].includes(row.runnerKind);
  return isOthers ? 'Not Applicable' : serviceProvider(row);
}

function skuOf({ runnerKind }: FocusRow): string {
  return runnerKind ?? 'unpriced';
}

const systems = { linux: 'Linux', windows: 'Windows', macos: 'MacOS' };

function skuDetails({ runnerKind, providers }: FocusRow): Record<string, string | number> | null {
  const { system = null, cores = null } = providers.kind(runnerKind ?? '') ?? {};
  if (system === null) return null;
  return { ...(cores !== null && { CoreCount: cores }), OperatingSystem: systems[system] };
}

function describe(row: FocusRow): string {
  const runner =
    row.runnerKind === null ? 'a runner without a price' : runnerTitle(row.runnerKind, row.providers);
  return `${row.workflowName}: ${row.jobName ?? row.jobId} on ${runner}`;
}

/** FOCUS requires a prefix on keys that do not come from the user. */
function tagsOf({ event, branch, attempt, actor, actorKind, startedBy }: FocusRow): Record<string, string> {
  return {
    ...(event === null ? {} : { 'ci/event': event }),
    ...(branch === null ? {} : { 'ci/branch': branch }),
    ...(actor === null ? {} : { 'ci/actor': actor }),
    ...(actorKind === null ? {} : { 'ci/actor-kind': actorKind }),
    ...(startedBy === null ? {} : { 'ci/started-by': startedBy }),
    'ci/attempt': String(attempt),
  };
}
