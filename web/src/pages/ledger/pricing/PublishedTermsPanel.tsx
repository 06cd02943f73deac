import { useQueries, useQuery } from '@tanstack/react-query';
import {
  includedOfGitLabQuery,
  includedProductsQuery,
  includedQuery,
} from '../../../parts/pricing/included.ts';
import { shownColumn, textColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { longDay } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Note, OutsideLink } from '../../../ui/text.tsx';
import { publishedTermsQuery, type PublishedTerm } from './queries.ts';
import { allowanceText, periodText } from './words.ts';

const statusWords: Record<PublishedTerm['status'], string> = {
  published: 'Published',
  assumed: 'Assumed',
  hint: 'Hint',
};

const aboutWords: Record<PublishedTerm['about'], string> = {
  free_use: 'Free',
  plan: 'Plan',
  draw: 'Weight of a minute',
  product: 'Plan',
};

const columns: Column<PublishedTerm>[] = [
  textColumn('What', ({ about, title }) => `${aboutWords[about]}: ${title}`, { isMain: true }),
  textColumn('Per month', (term) => (term.per_month === null ? null : allowanceText(term)), {
    isPlain: true,
  }),
  textColumn('Days', periodText, { isPlain: true }),
  textColumn('Status', ({ status }) => statusWords[status], { isPlain: true }),
  shownColumn(
    'Source',
    ({ source }) => source,
    (source) => <OutsideLink href={source}>{new URL(source).hostname}</OutsideLink>,
    { isPlain: true },
  ),
  shownColumn('Checked', ({ checked_on: day }) => day, longDay),
];

/** What this version knows, so that people can compare it with their bill. */
export function PublishedTermsPanel() {
  const terms = useQuery(publishedTermsQuery);
  const above = useQueries({ queries: [includedQuery, includedProductsQuery, includedOfGitLabQuery] });
  // The panel above gets its height late, and would push this one.
  if (above.some(({ isPending }) => isPending)) return null;
  return (
    <Panel title="Plans and free use">
      <Note>
        A hint comes from a source that the provider&apos;s documentation does not confirm. It applies only if
        you choose it with your plan. What is assumed is our default, although the provider does not document
        it.
      </Note>
      <Loaded query={terms} height={240}>
        {(rows) => (
          <DataTable
            label="Plans and free use"
            minWidth={720}
            rows={rows}
            columns={columns}
            keyOf={({ about, title, unit, product, first_day: day }) =>
              `${about} ${title} ${unit} ${product} ${day}`
            }
            isStacked
          />
        )}
      </Loaded>
    </Panel>
  );
}
