import { Group, NumberInput, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { Choice } from '../../../ui/Choice.tsx';
import { count, longDay } from '../../../ui/figures.ts';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { faultOf, useChange } from '../../../ui/useChange.ts';
import { Columns, WideTable } from '../../../ui/WideTable.tsx';
import { ChangeablePanel } from './ChangeablePanel.tsx';
import { includedKey, includedQuery, pricingKey, type IncludedMinutes } from './queries.ts';

/** What is used of the minutes that the plan at GitHub includes. */
export function IncludedPanel({ reason }: { reason: string | null }) {
  const included = useQuery(includedQuery);
  return (
    <ChangeablePanel
      title="Included minutes"
      deed="Set the plan"
      reason={reason}
      form={(close) => included.data && <PlanForm found={included.data} onClose={close} />}
    >
      <Text size="sm" c="dimmed">
        An estimate of this UTC month, on GitHub&apos;s standard runners and without public repositories:
        GitHub does not state how it draws minutes. Here a minute takes as many included ones as it costs more
        than one on Linux 2-core.
      </Text>
      <Loaded query={included} height={120}>
        {(found) => <Usage found={found} />}
      </Loaded>
    </ChangeablePanel>
  );
}

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
          aria-label="Share of the included minutes that is used"
        />
      )}
      {kinds.length > 0 && (
        <WideTable label="Minutes by kind of runner" minWidth={420}>
          <Columns texts={['Runner']} numbers={['Minutes', 'Each takes', 'Included minutes used']} />
          <tbody>
            {kinds.map((kind) => (
              <tr key={kind.runner_kind}>
                <th scope="row">{kind.title}</th>
                <td className="number">{count(kind.minutes)}</td>
                <td className="number">{kind.ratio}</td>
                <td className="number">{count(kind.used_minutes)}</td>
              </tr>
            ))}
          </tbody>
        </WideTable>
      )}
    </Stack>
  );
}

function usageInWords(found: IncludedMinutes): string {
  const { included_minutes: included, used_minutes: used, exhausted_on: day } = found;
  if (!included) return `${count(used)} minutes are used this month. Set your plan at GitHub to compare.`;
  const begin = `${count(used)} of ${count(included.minutes)} minutes are used this month`;
  if (found.is_exhausted) return `${begin}: none are left${day ? ` since ${longDay(day)}` : ''}.`;
  if (day) return `${begin}. At this pace none will be left on ${longDay(day)}.`;
  return `${begin}. At this pace they last to its end.`;
}

const plans = [
  { value: 'none', label: 'None' },
  { value: 'free', label: 'Free (2,000)' },
  { value: 'pro', label: 'Pro (3,000)' },
  { value: 'team', label: 'Team (3,000)' },
  { value: 'enterprise', label: 'Enterprise Cloud (50,000)' },
  { value: 'own', label: 'Another number' },
] as const;

type PlanChoice = (typeof plans)[number]['value'];

function PlanForm({ found, onClose }: { found: IncludedMinutes; onClose: () => void }) {
  const current = found.included_minutes;
  const [plan, setPlan] = useState<PlanChoice>(current ? (current.github_plan ?? 'own') : 'none');
  const [minutes, setMinutes] = useState<number | ''>(current?.minutes ?? '');
  const save = useChange({
    act: async () => {
      const own = { minutes: Number(minutes) };
      const included_minutes = plan === 'none' ? null : plan === 'own' ? own : { github_plan: plan };
      await api.PUT('/api/v1/pricing', { body: { included_minutes } });
    },
    done: 'The included minutes have been set.',
    refresh: [includedKey, pricingKey],
    isFaultShown: true,
  });
  return (
    <FormDialog
      title="Included minutes"
      size="md"
      deed="Save"
      isDisabled={plan === 'own' && minutes === ''}
      isBusy={save.isPending}
      error={save.error}
      fields={plan === 'own' ? ['included_minutes'] : []}
      onSubmit={() => save.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Group align="flex-start" grow preventGrowOverflow={false}>
        <Choice label="Plan at GitHub" options={plans} value={plan} onChange={setPlan} />
        {plan === 'own' && (
          <NumberInput
            label="Minutes a month"
            min={0}
            max={1_000_000_000}
            allowDecimal={false}
            thousandSeparator=","
            value={minutes}
            onChange={(value) => setMinutes(value === '' ? '' : Number(value))}
            error={faultOf(save.error, 'included_minutes')}
          />
        )}
      </Group>
    </FormDialog>
  );
}
