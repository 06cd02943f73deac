import { NumberInput, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { pricingKey } from '../../../api/queries.ts';
import { countColumn, numberColumn, textColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { count, countOf, longDay } from '../../../ui/figures.ts';
import { Form } from '../../../ui/Form.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Note } from '../../../ui/text.tsx';
import { ChangeablePanel } from './ChangeablePanel.tsx';
import { includedKey, includedQuery, type IncludedMinutes } from './queries.ts';
import { minutesText } from './words.ts';

export function IncludedPanel({ reason }: { reason: string | null }) {
  const included = useQuery(includedQuery);
  return (
    <ChangeablePanel
      title="Included minutes"
      label="Set plan"
      reason={reason}
      form={(close) => included.data && <PlanForm found={included.data} onClose={close} />}
    >
      <Note>
        An estimate for this month (UTC), on GitHub&apos;s standard runners and without public repositories.
        GitHub does not document how it deducts minutes. We weigh each minute by its rate compared with Linux
        2-core.
      </Note>
      <Loaded query={included} height={120}>
        {(found) => <Usage found={found} />}
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
  const { included_minutes: included, used_minutes: used, runner_kinds: kinds } = found;
  return (
    <Stack gap="sm">
      <Text size="sm" role="status">
        {usageInWords(found)}
      </Text>
      {included && included.minutes > 0 && (
        <Progress
          value={Math.min(100, (100 * used) / included.minutes)}
          color={found.is_exhausted ? 'red' : 'blue'}
          size="lg"
          aria-label="Included minutes used"
        />
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

function usageInWords(found: IncludedMinutes): string {
  const { included_minutes: included, exhausted_on: day } = found;
  const used = Math.round(found.used_minutes);
  if (!included) return `${countOf(used, 'minute')} used this month. Set your GitHub plan to compare.`;
  const begin = `${count(used)} of ${countOf(included.minutes, 'minute')} used this month`;
  if (found.is_exhausted) return `${begin}. None left${day ? ` since ${longDay(day)}` : ''}.`;
  if (day) return `${begin}. At this pace, they run out on ${longDay(day)}.`;
  return `${begin}. At this pace, they last all month.`;
}

const plans = [
  { value: 'none', label: 'None' },
  { value: 'free', label: 'Free (2,000)' },
  { value: 'pro', label: 'Pro (3,000)' },
  { value: 'team', label: 'Team (3,000)' },
  { value: 'enterprise', label: 'Enterprise Cloud (50,000)' },
  { value: 'own', label: 'Other' },
] as const;

type PlanChoice = (typeof plans)[number]['value'];
type Values = { plan: PlanChoice; included_minutes: number | '' };

function PlanForm({ found, onClose }: { found: IncludedMinutes; onClose: () => void }) {
  const { included_minutes: current } = found;
  return (
    <Form<Values, unknown>
      title="Included minutes"
      size="md"
      label="Save"
      initial={{
        plan: current ? (current.github_plan ?? 'own') : 'none',
        included_minutes: current?.minutes ?? '',
      }}
      isDisabled={({ plan, included_minutes: minutes }) => plan === 'own' && minutes === ''}
      fields={({ values, input }) => [
        [
          { name: 'plan', kind: 'choice', label: 'GitHub plan', options: plans },
          ...(values.plan === 'own' ? [<MinutesField {...input('included_minutes')} />] : []),
        ],
      ]}
      act={({ plan, included_minutes: minutes }) => {
        const own = { minutes: Number(minutes) };
        const included_minutes = plan === 'none' ? null : plan === 'own' ? own : { github_plan: plan };
        return api.PUT('/api/v1/pricing', { body: { included_minutes } });
      }}
      done="Included minutes saved."
      refresh={[includedKey, pricingKey]}
      onClose={onClose}
    />
  );
}

type MinutesProps = { value: number | ''; onChange: (minutes: number | '') => void; error: string | null };

function MinutesField({ value, onChange, error }: MinutesProps) {
  return (
    <NumberInput
      label="Minutes per month"
      min={0}
      max={1_000_000_000}
      allowDecimal={false}
      thousandSeparator=","
      value={value}
      onChange={(typed) => onChange(typed === '' ? '' : Number(typed))}
      error={error}
    />
  );
}
