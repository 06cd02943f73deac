import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { DayField } from '../../../analysis/DayField.tsx';
import { api } from '../../../api/client.ts';
import { afterPriceChange } from '../../../api/queries.ts';
import { below, Form } from '../../../ui/Form.tsx';
import { SmallButton } from '../../../ui/rights.tsx';
import { rulesQuery, runnerKindsQuery, type ProposedRule, type Rule, type RuleBody } from './queries.ts';
import { RateInput } from './RateInput.tsx';
import { WhatIfPreviewWithFee } from './WhatIfPreview.tsx';
import { kindChoices, matchChoices, proposedRule, type TypedRate, keyAfter } from './words.ts';

export type RuleStart = { match: Rule['match']; pattern: string; by?: 'kind' | 'rate' };

type Values = Omit<RuleStart, 'by'> & {
  by: 'kind' | 'rate';
  runner_kind: string | null;
  name: string;
  usd_per_minute: TypedRate;
  later_rates: LaterRate[];
  rounding: 'usual' | 'minute' | 'second';
};

function valuesOf(rule: Rule | null, start: RuleStart | undefined): Values {
  return {
    match: rule?.match ?? start?.match ?? 'label',
    pattern: rule?.pattern ?? start?.pattern ?? '',
    by: rule ? (rule.runner_kind === null ? 'rate' : 'kind') : (start?.by ?? 'kind'),
    runner_kind: rule?.runner_kind ?? null,
    name: rule?.name ?? '',
    usd_per_minute: rule?.usd_per_minute ?? '',
    later_rates: (rule?.later_rates ?? []).map(({ effective_from: from, usd_per_minute: rate }, key) => ({
      key,
      from,
      rate,
    })),
    rounding: rule?.rounding ?? 'usual',
  };
}

function ruleIn(values: Values): ProposedRule | null {
  const {
    match,
    pattern,
    by,
    runner_kind: kind,
    name,
    usd_per_minute: rate,
    later_rates: later,
    rounding,
  } = values;
  const common = { match, pattern, rounding: rounding === 'usual' ? null : rounding };
  if (pattern === '') return null;
  if (by === 'kind') return kind === null ? null : ({ ...common, runner_kind: kind } as ProposedRule);
  const laterRates = later.flatMap(({ from, rate: typed }) =>
    from === '' || typed === '' ? [] : [{ effective_from: from, usd_per_minute: typed }],
  );
  if (name.trim() === '' || rate === '' || laterRates.length < later.length) return null;
  return { ...common, name: name.trim(), usd_per_minute: rate, later_rates: laterRates };
}

type Props = { rule: Rule | null; start?: RuleStart; onClose: () => void };

export function RuleForm({ rule, start, onClose }: Props) {
  const rules = useQuery(rulesQuery);
  const { data: kinds = [] } = useQuery(runnerKindsQuery);
  const rulesWith = (proposed: ProposedRule) => {
    const others = rules.data!;
    if (!rule) return [...others.map(proposedRule), proposed];
    return others.map((each) => (each.id === rule.id ? proposed : proposedRule(each)));
  };
  return (
    <Form
      title={rule ? 'Edit rule' : 'Add rule'}
      size="xl"
      label={rule ? 'Save rule' : 'Add rule'}
      initial={valuesOf(rule, start)}
      isDisabled={(values) => ruleIn(values) === null}
      fields={(form) => {
        const { values, input, errorAt } = form;
        const proposed = ruleIn(values);
        const rounding = {
          name: 'rounding',
          kind: 'choice',
          label: 'Round up to',
          options: roundings,
        } as const;
        return [
          [
            { name: 'match', kind: 'choice', label: 'Match', options: matchChoices },
            {
              name: 'pattern',
              isAsTyped: true,
              label: 'Pattern',
              description: 'Not case-sensitive.',
              required: true,
              maxLength: 255,
              'data-autofocus': true,
              placeholder: values.match === 'regex' ? '^team-.*-16$' : 'big-box',
              ...below,
            },
          ],
          <PricedBy {...input('by')} />,
          values.by === 'kind'
            ? [
                {
                  name: 'runner_kind',
                  kind: 'choice',
                  label: 'Runner',
                  required: true,
                  options: kindChoices(kinds),
                  none: 'Choose one',
                },
                rounding,
              ]
            : [
                { name: 'name', label: 'Name', required: true, maxLength: 100, placeholder: 'Depot 8-core' },
                <RateInput label="Rate per minute (US dollars)" {...input('usd_per_minute')} />,
                rounding,
              ],
          values.by === 'rate' && <LaterRates {...input('later_rates')} errorAt={errorAt} />,
          proposed === null || !rules.data ? (
            <Text size="sm" mih={180}>
              Complete the rule to preview it over the last 90 days.
            </Text>
          ) : (
            <WhatIfPreviewWithFee proposal={{ rules: rulesWith(proposed) }} />
          ),
        ];
      }}
      act={async (values) => {
        const body = ruleIn(values) as NonNullable<RuleBody>;
        if (rule) await api.PUT('/api/v1/pricing/rules/{id}', { params: { path: { id: rule.id } }, body });
        else await api.POST('/api/v1/pricing/rules', { body });
      }}
      done={`Rule ${rule ? 'saved' : 'added'}. It applies to new jobs.`}
      refresh={afterPriceChange}
      onClose={onClose}
    />
  );
}

const roundings = [
  { value: 'usual', label: 'Default' },
  { value: 'minute', label: 'Whole minutes' },
  { value: 'second', label: 'Whole seconds' },
] as const;

function PricedBy({ value, onChange }: { value: Values['by']; onChange: (by: Values['by']) => void }) {
  return (
    <SegmentedControl
      aria-label="Pricing"
      value={value}
      onChange={(by) => onChange(by as Values['by'])}
      data={[
        { value: 'kind', label: 'Price list' },
        { value: 'rate', label: 'Own rate' },
      ]}
    />
  );
}

type LaterRate = { key: number; from: string; rate: TypedRate };

type LaterRatesProps = {
  value: LaterRate[];
  onChange: (rates: LaterRate[]) => void;
  errorAt: (name: string) => string | null;
};

/** The rates that follow the first one. Jobs of earlier days keep the earlier rate. */
function LaterRates({ value: rates, onChange, errorAt }: LaterRatesProps) {
  const change = (key: number, fields: Partial<LaterRate>) =>
    onChange(rates.map((rate) => (rate.key === key ? { ...rate, ...fields } : rate)));
  return (
    <Stack gap="xs">
      {rates.map((rate, index) => (
        <Group key={rate.key} align="flex-start" gap="xs">
          <DayField
            label="From"
            required
            value={rate.from}
            onChange={(from) => change(rate.key, { from })}
            error={errorAt(`later_rates[${index}].effective_from`)}
          />
          <RateInput
            label="Later rate per minute"
            value={rate.rate}
            onChange={(typed) => change(rate.key, { rate: typed })}
            error={errorAt(`later_rates[${index}].usd_per_minute`)}
          />
          <Button
            variant="default"
            mt={24}
            aria-label="Remove this rate"
            onClick={() => onChange(rates.filter((each) => each !== rate))}
          >
            Remove
          </Button>
        </Group>
      ))}
      <SmallButton
        style={{ alignSelf: 'flex-start' }}
        onClick={() => onChange([...rates, { key: keyAfter(rates), from: '', rate: '' }])}
      >
        Add later rate
      </SmallButton>
    </Stack>
  );
}
