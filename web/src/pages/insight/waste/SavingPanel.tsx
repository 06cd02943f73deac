import { Card, Stack, Text, UnstyledButton } from '@mantine/core';
import { Change, ChangeCell } from '../../../analysis/Change.tsx';
import { useCosts } from '../../../analysis/queries.ts';
import { datesTitle } from '../../../analysis/ranges.ts';
import type { CategoryName, FixKind, Fixes } from '../../../parts/waste/waste.ts';
import {
  categoryColor,
  categoryShown,
  fixShown,
  orderOf,
  wasteCategory,
} from '../../../parts/waste/wasteCategories.ts';
import { Explained } from '../../../ui/Explained.tsx';
import { count, countOf, exactDollars, roughDollars, share } from '../../../ui/figures.ts';
import { Money, Note } from '../../../ui/text.tsx';
import { CategoryBar } from './CategoryBar.tsx';

type Props = {
  data: Fixes;
  repo: string;
  chosen: FixKind | null;
  onCategory: (category: CategoryName | null) => void;
  onMark: (category: CategoryName | null) => void;
};

export function SavingPanel({ data, repo, chosen, onCategory, onMark }: Props) {
  const { saving_per_month: saving, counts, period, total_cost: total, waste_cost: waste } = data;
  return (
    <Card withBorder component="section" aria-label="Saving" p="md">
      <Stack gap="md" h="100%">
        <div>
          <Text component="p" className="saving-sentence" aria-live="polite">
            {saving > 0 ? (
              <>
                Fixes save up to{' '}
                <Text span inherit aria-description={exactDollars(saving)}>
                  {roughDollars(saving)}
                </Text>{' '}
                a month
                {chosen !== null && ` on ${fixShown[chosen].label.toLowerCase()}`}
              </>
            ) : counts.done + counts.dismissed > 0 ? (
              'Nothing left to save'
            ) : (
              'No savings found'
            )}
          </Text>
          <Text size="sm" c="dimmed" component="div" mih={data.previous ? 44 : 22}>
            <Text span inherit fw={600} c="var(--mantine-color-text)">
              <Money amount={waste} />
            </Text>{' '}
            of <Money amount={total} /> was waste,{' '}
            <Explained value={share(total === 0 ? 0 : waste / total)} label="How waste is counted">
              <Text inherit>
                {datesTitle({ from: period.start, to: period.end })}. Each minute counts once, at list prices:
                included minutes and discounts are not split between waste and useful work.
              </Text>
              <Net data={data} repo={repo} />
              <Text inherit>
                {counts.open > 0
                  ? `${countOf(counts.open, 'fix', 'fixes')} to do.`
                  : 'We suggest a fix when waste repeats.'}
              </Text>
            </Explained>
            <Before data={data} />
            {data.left_out_days.length > 0 && <div>A month leaves out each workflow’s unusual days.</div>}
          </Text>
        </div>
        <div>
          <CategoryBar categories={inOrder(data)} total={total} size={12} />
        </div>
        <CategoriesTable data={data} chosen={wasteCategory(chosen)} onCategory={onCategory} onMark={onMark} />
      </Stack>
    </Card>
  );
}

function Before({ data: { waste_cost: waste, previous } }: Pick<Props, 'data'>) {
  if (!previous) return null;
  if (previous.total_cost === 0) return <div>No cost in the previous period</div>;
  const { start, end } = previous.period;
  return (
    <div>
      <Change value={waste} previous={previous.waste_cost} metric="cost" /> vs{' '}
      <Money amount={previous.waste_cost} />, {datesTitle({ from: start, to: end })}
    </div>
  );
}

/** Nobody can say which of a job's included minutes its waste used up, so only the whole has a net cost. */
function Net({ data: { period, total_cost: total }, repo }: Pick<Props, 'data' | 'repo'>) {
  const asked = { metric: 'net_cost', from: period.start, to: period.end } as const;
  const costs = useCosts(asked, { enabled: !repo && total > 0 }).data;
  if (repo || costs?.period.start !== period.start || costs.total.value >= total) return null;
  return (
    <Text inherit>
      After included minutes and discounts, all jobs cost <Money amount={costs.total.value} /> (
      {share(costs.total.value / total)} of list).
    </Text>
  );
}

function CategoriesTable({
  data,
  chosen,
  onCategory,
  onMark,
}: Omit<Props, 'repo' | 'chosen'> & { chosen: CategoryName | null }) {
  const before = data.previous && data.previous.total_cost > 0 ? data.previous.categories : null;
  const costBefore = (name: CategoryName) => before?.find(({ category }) => category === name)?.cost ?? 0;
  return (
    <table aria-label="Waste by category" className="categories" onPointerLeave={() => onMark(null)}>
      <thead>
        <tr>
          <th scope="col">Category</th>
          <th scope="col">Cost</th>
          <th scope="col">Share</th>
          {before && <th scope="col">Change</th>}
        </tr>
      </thead>
      <tbody>
        {inOrder(data)
          .filter(
            ({ category, jobs }) => jobs > 0 || category === chosen || category !== 'skipped_after_queueing',
          )
          .map(({ category, cost, share_percent: percent, waited_minutes: waited }) => (
            <tr
              key={category}
              className={chosen !== null && chosen !== category ? 'is-other' : undefined}
              onPointerEnter={() => onMark(category)}
            >
              <th scope="row">
                <UnstyledButton
                  fz="sm"
                  className="category-pick"
                  aria-pressed={chosen === category}
                  onClick={() => onCategory(chosen === category ? null : category)}
                >
                  <span className="swatch" style={{ background: categoryColor(category) }} />
                  {categoryShown[category].label}
                </UnstyledButton>
                <Note size="xs" fw={400} className="category-about">
                  {categoryShown[category].about}
                </Note>
              </th>
              {category === 'skipped_after_queueing' ? (
                <td className="number" colSpan={before ? 3 : 2}>
                  {count(Math.round(waited))} min waited
                </td>
              ) : (
                <>
                  <td className="number">
                    <Money amount={cost} />
                  </td>
                  <td className="number">
                    <Note span>{share(percent / 100)}</Note>
                  </td>
                  {before && (
                    <td className="number">
                      <Text span size="sm">
                        <ChangeCell value={cost} previous={costBefore(category)} metric="cost" />
                      </Text>
                    </td>
                  )}
                </>
              )}
            </tr>
          ))}
      </tbody>
    </table>
  );
}

function inOrder(data: Fixes) {
  return orderOf(data).flatMap((name) => data.categories.find(({ category }) => category === name) ?? []);
}
