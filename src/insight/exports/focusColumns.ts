import type { Provider, Providers } from '../../ledger/pricing/provider.ts';
import { runnerTitle } from '../../ledger/pricing/runnerWords.ts';
import { divideHalfEven } from '../../platform/lib/money.ts';
import { optional, ranMilliseconds, required, type ColumnOf } from './columns.ts';
import type { JobRow } from './rows.queries.ts';

/** A job, whose costs it is part of, and what is known of CI systems. */
export type FocusRow = JobRow & { organization: { id: string; name: string }; providers: Providers };

const cost = (row: FocusRow) => row.costNanos;
const serviceProvider = (row: FocusRow) => sellerOf(row)?.title ?? row.provider;
const owner = (row: FocusRow) => row.repository.split('/')[0]!;

/**
 * FOCUS 1.3, dataset Cost and Usage: all mandatory columns, those of the others that a job has something to say for,
 * and columns of our own, which begin with `x_` and stand last. ProviderName and PublisherName are deprecated, but
 * mandatory until 1.4.
 */
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
  // Workflows of one repository can have the same name.
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

/** The provider that invoices the job: none does for a server of the organization's own. */
function sellerOf({ provider, providers }: FocusRow): Provider | null {
  const known = providers.of(provider);
  return known?.service && known.id === provider ? known : null;
}

/** Of the calendar month that an instant is in, or of one some months later. */
function monthOf(instant: Date, later: number): Date {
  return new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth() + later, 1));
}

function secondOf(instant: Date): Date {
  return new Date(Math.floor(instant.getTime() / 1_000) * 1_000);
}

/** When the job started; where that is not known, or after its end, it took no time. */
function chargeStart({ startedAt, completedAt }: FocusRow): Date {
  return secondOf(startedAt && startedAt < completedAt ? startedAt : completedAt);
}

/** Not part of the period any more, so that the second within which a job started and completed is in it. */
function chargeEnd(row: FocusRow): Date {
  const completed = Math.ceil(row.completedAt.getTime() / 1_000) * 1_000;
  return new Date(Math.max(completed, chargeStart(row).getTime() + 1_000));
}

function consumedMinutes(row: FocusRow): bigint {
  return divideHalfEven(ranMilliseconds(row) * 1_000_000_000n, 60_000n);
}

/** So that price times quantity is the cost, also where minutes are not rounded up. */
function pricedMinutes({ billedMinutes, nanosPerMinute, costNanos }: FocusRow): bigint {
  const isWhole = nanosPerMinute === 0n || BigInt(billedMinutes) * nanosPerMinute === costNanos;
  if (isWhole) return BigInt(billedMinutes) * 1_000_000_000n;
  return divideHalfEven(costNanos * 1_000_000_000n, nanosPerMinute);
}

/** Who runs the machines is known of the provider's own ones alone. */
function hostProvider(row: FocusRow): string {
  const isOthers = row.runnerKind === null || ['self_hosted', 'third_party'].includes(row.runnerKind);
  return isOthers ? 'Not Applicable' : serviceProvider(row);
}

function skuOf({ runnerKind }: FocusRow): string {
  return runnerKind ?? 'unpriced';
}

const systems = { linux: 'Linux', windows: 'Windows', macos: 'MacOS' };

/** What the kind of a hosted runner tells of it, in the words of the specification. */
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

/** Keys that do not come from the user carry a prefix. */
function tagsOf({ event, branch, attempt, actor }: FocusRow): Record<string, string> {
  return {
    ...(event === null ? {} : { 'ci/event': event }),
    ...(branch === null ? {} : { 'ci/branch': branch }),
    ...(actor === null ? {} : { 'ci/actor': actor }),
    'ci/attempt': String(attempt),
  };
}
