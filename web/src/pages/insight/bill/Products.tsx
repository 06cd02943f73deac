import { productTitles } from '../../../analysis/words.ts';
import { countColumn, moneyColumn, numberColumn, shownColumn, textColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { count, gigabytes, sentence, signed } from '../../../ui/figures.ts';
import { Panel } from '../../../ui/Panel.tsx';
import { Note, RepositoryName } from '../../../ui/text.tsx';
import type { BilledMonth, Reconciliation } from './queries.ts';

type Products = BilledMonth['products'];
type Repository = Products[number]['repositories'][number] & Pick<Products[number], 'product'>;

const ofRepositories: Column<Repository>[] = [
  {
    title: 'Repository',
    value: ({ repository }) => repository,
    cell: ({ repository }) => (repository ? <RepositoryName name={repository} /> : 'No repository'),
  },
  textColumn('Product', ({ product }) => productTitles[product], { isPlain: true }),
  numberColumn('Average', ({ average_gigabytes: size }) => size, gigabytes),
  moneyColumn('Gross', ({ gross }) => gross, { isHiddenOnPhones: true }),
  moneyColumn('Bill', ({ net }) => net, { isMain: true }),
];

type Billed = Reconciliation['not_compared'][number];

/** GitHub writes names as identifiers; this makes `Copilot for business` and `AI credits`. */
const titleOf = (name: string): string =>
  sentence(name.replace(/^copilot_(?=ai_)/, '').replaceAll('_', ' ')).replace(/\bai\b/gi, 'AI');

const ofSkus: Column<Billed>[] = [
  shownColumn('SKU', ({ sku }) => sku, titleOf),
  shownColumn('Billed as', ({ product }) => product, titleOf, { isPlain: true }),
  shownColumn('Unit', ({ unit }) => unit, titleOf, { isPlain: true }),
  countColumn('Quantity', ({ quantity }) => quantity),
  { title: 'Price', cell: priceInWords, isHiddenOnPhones: true },
  moneyColumn('Gross', ({ gross }) => gross, { isHiddenOnPhones: true }),
  moneyColumn('Bill', ({ net }) => net, { isMain: true }),
];

/** Reports round unit prices and amounts. */
function priceInWords({ gross, known_gross: known }: Billed): string {
  if (known === null) return 'no list price known';
  const difference = gross - known;
  return Math.abs(difference) <= Math.max(0.01, known / 1_000)
    ? 'list price'
    : `${signed(difference)} vs. list price`;
}

type Props = { billed: Reconciliation['not_compared']; month: BilledMonth | undefined; part: string };

/** What the bill has beside minutes. `part` is of the repositories' names. */
export function OtherProducts({ billed, month, part }: Props) {
  const repositories = (month?.products ?? [])
    .filter(({ product }) => product !== 'compute')
    .flatMap(({ product, repositories: all }) => all.map((each) => ({ ...each, product })))
    .filter(({ repository }) => repository.toLowerCase().includes(part.toLowerCase()));
  if (billed.length === 0) return null;
  return (
    <Panel title="Storage and other products">
      <Note>
        On the bill, but not billed by job minutes. Left out of the comparison.
        {month && ` An average is GB-hours divided by the month’s ${count(month.hours)} hours.`}
      </Note>
      {repositories.length > 0 && (
        <DataTable
          label="Other products by repository"
          minWidth={480}
          maxHeight={360}
          rows={repositories}
          columns={ofRepositories}
          order={{ column: 'Bill', isDescending: true }}
          keyOf={({ repository, product }) => `${product} ${repository}`}
          isStacked
        />
      )}
      <DataTable
        label="Other products by SKU"
        minWidth={640}
        maxHeight={360}
        rows={billed}
        columns={ofSkus}
        keyOf={({ product, sku, unit }) => `${product} ${sku} ${unit}`}
        isStacked
      />
    </Panel>
  );
}
