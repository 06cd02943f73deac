import { countColumn, moneyColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { dollars, sentence } from '../../../ui/figures.ts';
import { Note } from '../../../ui/Note.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import type { Reconciliation } from './queries.ts';

type Product = Reconciliation['not_compared'][number];

/** GitHub writes names as identifiers; this makes `Copilot for business`. */
const titleOf = (name: string): string => sentence(name.replaceAll('_', ' '));

const columns: Column<Product>[] = [
  { title: 'Product', value: ({ product }) => product, cell: ({ product }) => titleOf(product) },
  {
    title: 'Repositories',
    value: ({ repositories }) => repositories[0]?.repository ?? '',
    cell: ({ repositories }) => repositoriesInWords(repositories),
    isPlain: true,
  },
  { title: 'SKU', value: ({ sku }) => sku, cell: ({ sku }) => titleOf(sku), isPlain: true },
  { title: 'Unit', value: ({ unit }) => unit, cell: ({ unit }) => titleOf(unit), isPlain: true },
  countColumn('Quantity', ({ quantity }) => quantity),
  moneyColumn('Gross', ({ gross }) => gross, { isHiddenOnPhones: true }),
  moneyColumn('Bill', ({ net }) => net, { isMain: true }),
];

/** `acme/pub $102.02, acme/api $1.00 and 3 more` */
function repositoriesInWords(repositories: Product['repositories']): string {
  const shown = repositories.slice(0, 3);
  const rest = repositories.length - shown.length;
  const names = shown.map(({ repository, net }) => `${repository || '(none)'} ${dollars(net)}`).join(', ');
  return rest === 0 ? names : `${names} and ${rest} more`;
}

export function NotCompared({ products }: { products: Reconciliation['not_compared'] }) {
  if (products.length === 0) return null;
  return (
    <Panel title="Not covered by Runcost">
      <Note>Storage and other products on the bill. Runcost counts only CI job minutes.</Note>
      <DataTable
        label="Not covered by Runcost"
        minWidth={640}
        maxHeight={360}
        rows={products}
        columns={columns}
        keyOf={({ product, sku, unit }) => `${product} ${sku} ${unit}`}
        isStacked
      />
    </Panel>
  );
}
