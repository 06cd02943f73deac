import { NumberInput, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { pricingKey } from '../../../api/queries.ts';
import { gaugeOf } from '../../../parts/pricing/gauge.ts';
import {
  includedKey,
  includedOfGitLabQuery,
  includedProductsQuery,
  includedQuery,
  type IncludedMinutes,
} from '../../../parts/pricing/included.ts';
import { UsedBar } from '../../../parts/pricing/UsedBar.tsx';
import { UsedProducts } from '../../../parts/pricing/UsedProducts.tsx';
import { countColumn, numberColumn, textColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { countOf } from '../../../ui/figures.ts';
import { below, Form } from '../../../ui/Form.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Note } from '../../../ui/text.tsx';
import { ChangeablePanel } from './ChangeablePanel.tsx';
import { publishedTermsQuery, type PublishedTerm } from './queries.ts';
import { dollarsHint, minutesText } from './words.ts';

export function IncludedPanel({ reason }: { reason: string | null }) {
  const included = useQuery(includedQuery);
  const products = useQuery(includedProductsQuery);
  const ofGitLab = useQuery(includedOfGitLabQuery);
  const terms = useQuery(publishedTermsQuery);
  return (
    <ChangeablePanel
      title="Included minutes"
      label="Set plan"
      reason={reason}
      form={(close) =>
        included.data && terms.data && <PlanForm found={included.data} terms={terms.data} onClose={close} />
      }
    >
      <Note>
        An estimate for this month (UTC), on GitHub&apos;s standard runners and without public repositories.
        Included dollars also count larger runners. GitHub does not document how it deducts minutes. Unless
        you choose multipliers, we weigh each minute by its rate compared with Linux 2-core.
      </Note>
      <Loaded<unknown> query={included.data ? (products.data ? ofGitLab : products) : included} height={120}>
        {() => (
          <>
            <Usage found={included.data!} />
            <UsedProducts products={products.data!} />
            <OfGitLab found={ofGitLab.data!} />
          </>
        )}
      </Loaded>
    </ChangeablePanel>
  );
}

const kindColumns: Column<IncludedMinutes['runner_kinds'][number]>[] = [
  textColumn('Runner', ({ title }) => title),
  numberColumn('Minutes', ({ minutes }) => minutes, minutesText, { isPlain: true }),
  numberColumn(
    'Weight',
    ({ ratio }) => ratio,
    (ratio) => `× ${ratio}`,
    { isPlain: true },
  ),
  countColumn('Included minutes used', ({ used_minutes: used }) => Math.round(used), { isMain: true }),
];

function Usage({ found }: { found: IncludedMinutes }) {
  const { runner_kinds: kinds } = found;
  const gauge = gaugeOf(found);
  return (
    <Stack gap="sm">
      {gauge ? (
        <UsedBar gauge={gauge} isExhausted={found.is_exhausted} />
      ) : (
        <Text size="sm" role="status">
          {countOf(Math.round(found.used_minutes), 'minute')} used this month. Set your GitHub plan to
          compare.
        </Text>
      )}
      {kinds.length > 0 && (
        <DataTable
          label="Minutes by runner"
          minWidth={420}
          rows={kinds}
          columns={kindColumns}
          keyOf={({ runner_kind: kind }) => kind}
          isStacked
        />
      )}
    </Stack>
  );
}

function OfGitLab({ found }: { found: IncludedMinutes }) {
  const gauge = gaugeOf(found);
  if (!gauge) return null;
  const title = `${found.provider_title} compute minutes`;
  return <UsedBar gauge={{ ...gauge, title }} isExhausted={found.is_exhausted} />;
}

type Values = {
  plan: string;
  unit: 'minutes' | 'usd';
  draw: NonNullable<IncludedMinutes['included_minutes']>['draw'];
  amount: number | '';
};

type FormProps = { found: IncludedMinutes; terms: readonly PublishedTerm[]; onClose: () => void };

function PlanForm({ found, terms, onClose }: FormProps) {
  const { included_minutes: current } = found;
  const plans = terms.flatMap(({ about, unit, github_plan: plan, title }) =>
    about === 'plan' && unit === 'minutes' ? [{ value: plan!, label: title }] : [],
  );
  const rules = terms.flatMap(({ about, provider, draw, title, status }) =>
    about === 'draw' && provider === found.provider ? [{ value: draw!, label: `${title} (${status})` }] : [],
  );
  return (
    <Form<Values, unknown>
      title="Included minutes"
      size="md"
      label="Save"
      initial={{
        plan: current ? (current.github_plan ?? 'own') : 'none',
        unit: current?.unit ?? 'minutes',
        draw: current?.draw ?? 'list_price_ratio',
        amount: current?.github_plan === null ? (current.usd ?? current.minutes) : '',
      }}
      isDisabled={({ plan, amount }) => plan === 'own' && amount === ''}
      fields={({ values: { plan, unit }, input }) => [
        {
          name: 'plan',
          kind: 'choice',
          label: 'GitHub plan',
          options: [{ value: 'none', label: 'None' }, ...plans, { value: 'own', label: 'Other' }],
        },
        plan !== 'none' && {
          name: 'unit',
          kind: 'choice',
          label: 'Unit',
          options: [
            { value: 'minutes', label: 'Minutes' },
            { value: 'usd', label: 'Dollars (hint)' },
          ],
          description: dollarsHint(terms, plan),
          ...below,
        },
        plan === 'own' ? <AmountField {...input('amount')} unit={unit} /> : null,
        plan !== 'none' &&
          unit === 'minutes' && {
            name: 'draw',
            kind: 'choice',
            label: 'Weight of a minute on other runners than Linux 2-core',
            options: rules,
          },
      ]}
      act={(values) => api.PUT('/api/v1/pricing', { body: { included_minutes: includedOf(values) } })}
      done="Included minutes saved."
      refresh={[includedKey, pricingKey]}
      onClose={onClose}
    />
  );
}

function includedOf({ plan, unit, draw, amount }: Values) {
  if (plan === 'none') return null;
  const github_plan = plan === 'own' ? null : (plan as 'team');
  const own = plan === 'own' && (unit === 'usd' ? { usd: Number(amount) } : { minutes: Number(amount) });
  return { github_plan, unit, ...(unit === 'minutes' && { draw }), ...own };
}

type AmountProps = {
  unit: Values['unit'];
  value: number | '';
  onChange: (amount: number | '') => void;
  error: string | null;
};

function AmountField({ unit, value, onChange, error }: AmountProps) {
  return (
    <NumberInput
      label={unit === 'usd' ? 'Dollars per month' : 'Minutes per month'}
      min={0}
      max={unit === 'usd' ? 1_000_000 : 1_000_000_000}
      allowDecimal={unit === 'usd'}
      thousandSeparator=","
      value={value}
      onChange={(typed) => onChange(typed === '' ? '' : Number(typed))}
      error={error}
    />
  );
}
