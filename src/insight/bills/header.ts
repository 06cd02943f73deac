import { normalizeName } from './skus.ts';

export const formats = ['summarised', 'detailed', 'legacy'] as const;
type Format = (typeof formats)[number];

/** Names that reports of all years have for a column. */
const names = {
  date: ['date', 'usage_at', 'usage_date'],
  product: ['product', 'product_name'],
  sku: ['sku', 'sku_name'],
  quantity: ['quantity'],
  unit: ['unit_type', 'unit'],
  price: ['applied_cost_per_quantity', 'price_per_unit', 'unit_price'],
  gross: ['gross_amount'],
  discount: ['discount_amount'],
  net: ['net_amount'],
  organization: ['organization', 'organization_name', 'owner'],
  repository: ['repository', 'repository_name', 'repository_slug'],
  workflowPath: ['workflow_path', 'workflow_name', 'actions_workflow'],
  username: ['username'],
  currency: ['currency', 'currency_code', 'billing_currency'],
} as const;

type Column = keyof typeof names;

export type Header = {
  format: Format;
  /** Where a column stands in a line; undefined where the report has none. */
  at: Partial<Record<Column, number>>;
  columns: number;
};

const mostColumns = 200;
const always: Column[] = ['date', 'product', 'sku', 'quantity', 'unit', 'repository'];

/** Finds the columns by their names, in any order, case and spelling; or says what is wrong with the first line. */
export function readHeader(cells: readonly string[]): Header | { fault: string } {
  if (cells.length > mostColumns)
    return { fault: `has ${cells.length} columns; a usage report has about 14` };
  const separator = cells.length === 1 ? /[;\t]/.exec(cells[0]!)?.[0] : undefined;
  if (separator)
    return { fault: `is separated by ${separator === ';' ? 'semicolons' : 'tabs'}; save it with commas` };
  const given = cells.map(columnName);
  const at: Header['at'] = {};
  for (const [column, known] of Object.entries(names) as [Column, readonly string[]][]) {
    const found = given.flatMap((name, index) => (known.includes(name) ? [index] : []));
    if (found.length > 1) return { fault: `has the column ${cells[found[0]!]!.trim()} twice` };
    if (found.length === 1) at[column] = found[0]!;
  }
  const isLegacy = at.gross === undefined && at.net === undefined;
  const missing = [...always, ...(isLegacy ? (['price'] as const) : (['gross', 'net'] as const))]
    .filter((column) => at[column] === undefined)
    .map((column) => (isLegacy && column === 'price' ? 'gross_amount and net_amount' : names[column][0]));
  if (missing.length > 0) {
    return { fault: `lacks the columns ${missing.join(', ')}: it is no report of metered usage from GitHub` };
  }
  const isDetailed = at.workflowPath !== undefined || at.username !== undefined;
  return { format: isLegacy ? 'legacy' : isDetailed ? 'detailed' : 'summarised', at, columns: cells.length };
}

/** Whether a line below the heading is another one, even where the line before it runs into its first name. */
export function isHeading(cells: readonly string[]): boolean {
  const given = new Set(cells.map(columnName));
  return always.filter((column) => names[column].some((name) => given.has(name))).length >= 4;
}

function columnName(cell: string): string {
  return normalizeName(cell.replaceAll(/([a-z])([A-Z])/g, '$1_$2'));
}
