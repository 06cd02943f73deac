import { addDays, monthAround, startOfDay } from '../../platform/lib/days.ts';
import { capital } from '../../platform/lib/text.ts';
import { type ColumnOf, optional, required } from './columns.ts';
import type { BillingPeriod, InvoiceDetail } from './invoices.ts';

/** GitHub's reports are the only bills that can be imported. */
export const issuer = 'GitHub';

const monthStart = ({ month }: BillingPeriod) => startOfDay(month);

/** Not included. */
const monthEnd = ({ month }: BillingPeriod) => startOfDay(addDays(monthAround(month).end, 1));

/** A report does not say that an invoice was issued, so nothing is final. */
const open = () => 'Open';

/** FOCUS 1.4, BillingPeriod. */
export const billingPeriodColumns: ColumnOf<BillingPeriod>[] = [
  required('BillingPeriodCreated', 'second', (row) => row.createdAt),
  required('BillingPeriodEnd', 'second', monthEnd),
  required('BillingPeriodLastUpdated', 'second', (row) => row.updatedAt),
  required('BillingPeriodStart', 'second', monthStart),
  required('BillingPeriodStatus', 'text', open),
  required('InvoiceIssuerName', 'text', () => issuer),
];

/** The specification allows ids before an invoice is issued. These are ours, not GitHub's. */
export const invoiceIdOf = ({ orgId, month }: Pick<InvoiceDetail, 'orgId' | 'month'>) =>
  `provisional-${month.slice(0, 7)}-${orgId}`;

/**
 * FOCUS 1.4, InvoiceDetail: its mandatory columns, then ours. A report names no terms of payment, so PaymentTerms is null
 * against the specification. It calls for no placeholder either.
 */
export const invoiceDetailColumns: ColumnOf<InvoiceDetail>[] = [
  required('BilledCost', 'decimal', (row) => row.netNanos),
  required('BillingAccountId', 'text', (row) => row.orgId),
  required('BillingCurrency', 'text', () => 'USD'),
  required('BillingPeriodEnd', 'second', monthEnd),
  required('BillingPeriodStart', 'second', monthStart),
  required('ChargeCategory', 'text', () => 'Usage'),
  required('InvoiceDetailCreated', 'second', (row) => row.createdAt),
  optional('InvoiceDetailDescription', 'text', describe),
  optional('InvoiceDetailGrain', 'object', grainOf),
  required('InvoiceDetailId', 'text', detailIdOf),
  required('InvoiceDetailLastUpdated', 'second', (row) => row.updatedAt),
  required('InvoiceId', 'text', invoiceIdOf),
  optional('InvoiceIssueDate', 'second', () => null),
  required('InvoiceIssueStatus', 'text', open),
  required('InvoiceIssuerName', 'text', () => issuer),
  optional('PaymentDueDate', 'second', () => null),
  optional('PaymentTerms', 'text', () => null),
  required('ReferenceInvoiceId', 'text', invoiceIdOf),
  required('x_ListCost', 'decimal', (row) => row.grossNanos),
  required('x_DiscountAmount', 'decimal', (row) => row.discountNanos),
  required('x_PricingQuantity', 'decimal', (row) => row.quantityNanos),
  optional('x_PricingUnit', 'text', (row) => focusUnit(row.unit)),
];

/** Unique in its invoice, and the same in each export. */
export function detailIdOf({
  organization,
  product,
  sku,
  unit,
}: Pick<InvoiceDetail, 'organization' | 'product' | 'sku' | 'unit'>): string {
  return [organization, product, sku, unit].join('/');
}

function describe({ organization, product, sku }: InvoiceDetail): string {
  return `${product} ${sku}${organization === '' ? '' : ` of ${organization}`}`;
}

function grainOf({ organization, product, sku, unit }: InvoiceDetail): Record<string, string> {
  return {
    ...(product !== '' && { ServiceName: product === 'actions' ? 'GitHub Actions' : product }),
    ...(organization !== '' && { SubAccountId: organization }),
    x_Sku: sku,
    ...(unit !== '' && { x_Unit: focusUnit(unit)! }),
  };
}

const dataSizes: Partial<Record<string, string>> = {
  byte: 'B',
  kilobyte: 'KB',
  megabyte: 'MB',
  gigabyte: 'GB',
  terabyte: 'TB',
  kb: 'KB',
  mb: 'MB',
  gb: 'GB',
  tb: 'TB',
  gib: 'GiB',
};

/** `gigabyte_hours`, which older imports call `gigabytehours`, are GB-Hours in the specification's words. */
export function focusUnit(unit: string): string | null {
  if (unit === '') return null;
  const [, counted = '', time = ''] = /^(.*?)_?((?:year|month|day|hour|minute|second)s?)$/.exec(unit) ?? [];
  if (time === '') return dataSizes[singular(unit)] ?? capitalized(unit);
  const plural = capitalized(`${singular(time)}s`);
  if (counted === '') return plural;
  return `${dataSizes[singular(counted)] ?? capitalized(singular(counted))}-${plural}`;
}

function singular(noun: string): string {
  return noun.replace(/s$/, '');
}

function capitalized(words: string): string {
  return words.split('_').map(capital).join('');
}
