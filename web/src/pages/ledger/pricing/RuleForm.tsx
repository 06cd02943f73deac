import { Group, SegmentedControl, Stack, Text, TextInput, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DayField } from '../../../analysis/DayField.tsx';
import { api } from '../../../api/client.ts';
import { afterPriceChange } from '../../../api/queries.ts';
import { Choice } from '../../../ui/Choice.tsx';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { errorOf, useChange } from '../../../ui/useChange.ts';
import { rulesQuery, runnerKindsQuery, type ProposedRule, type Rule, type RuleBody } from './queries.ts';
import { RateInput } from './RateInput.tsx';
import { WhatIfPreviewWithFee } from './WhatIfPreview.tsx';
import { kindChoices, proposedRule, type TypedRate, keyAfter } from './words.ts';

export type RuleStart = { match: Rule['match']; pattern: string; by?: 'kind' | 'rate' };

type Values = Omit<RuleStart, 'by'> & {
  by: 'kind' | 'rate';
  kind: string | null;
  name: string;
  rate: TypedRate;
  later: LaterRate[];
  rounding: 'usual' | 'minute' | 'second';
};

function valuesOf(rule: Rule | null, start: RuleStart | undefined): Values {
  return {
    match: rule?.match ?? start?.match ?? 'label',
    pattern: rule?.pattern ?? start?.pattern ?? '',
    by: rule ? (rule.runner_kind === null ? 'rate' : 'kind') : (start?.by ?? 'kind'),
    kind: rule?.runner_kind ?? null,
    name: rule?.name ?? '',
    rate: rule?.usd_per_minute ?? '',
    later: (rule?.later_rates ?? []).map(({ effective_from: from, usd_per_minute: rate }, key) => ({
      key,
      from,
      rate,
    })),
    rounding: rule?.rounding ?? 'usual',
  };
}

function ruleIn({ match, pattern, by, kind, name, rate, later, rounding }: Values): ProposedRule | null {
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
  const [values, setValues] = useState(() => valuesOf(rule, start));
  const rules = useQuery(rulesQuery);
  const proposed = ruleIn(values);
  const save = useChange({
    act: async () => {
      const body = proposed as NonNullable<RuleBody>;
      if (rule) await api.PUT('/api/v1/pricing/rules/{id}', { params: { path: { id: rule.id } }, body });
      else await api.POST('/api/v1/pricing/rules', { body });
    },
    done: `Rule ${rule ? 'saved' : 'added'}. It applies to new jobs.`,
    refresh: afterPriceChange,
    isErrorShown: true,
  });
  const others = rules.data ?? [];
  const all = rule
    ? others.map((each) => (each.id === rule.id && proposed ? proposed : proposedRule(each)))
    : [...others.map(proposedRule), ...(proposed ? [proposed] : [])];
  return (
    <FormDialog
      title={rule ? 'Edit rule' : 'Add rule'}
      size="xl"
      label={rule ? 'Save rule' : 'Add rule'}
      isDisabled={proposed === null}
      change={save}
      fields={['pattern', 'name', 'usd_per_minute', 'later_rates', 'runner_kind']}
      onClose={onClose}
    >
      <MatchFields values={values} error={save.error} onChange={setValues} />
      <PriceFields values={values} error={save.error} onChange={setValues} />
      {proposed === null || !rules.data ? (
        <Text size="sm" mih={180}>
          Complete the rule to preview it over the last 90 days.
        </Text>
      ) : (
        <WhatIfPreviewWithFee proposal={{ rules: all }} />
      )}
    </FormDialog>
  );
}

type FieldsProps = { values: Values; error: Error | null; onChange: (values: Values) => void };

const matchChoices = [
  { value: 'label', label: 'Label is' },
  { value: 'regex', label: 'Label matches regular expression' },
  { value: 'runner_group', label: 'Runner group is' },
] as const;

function MatchFields({ values, error, onChange }: FieldsProps) {
  return (
    <Group align="flex-start" grow preventGrowOverflow={false}>
      <Choice
        label="Match"
        options={matchChoices}
        value={values.match}
        onChange={(match) => onChange({ ...values, match })}
      />
      <TextInput
        label="Pattern"
        description="Not case-sensitive."
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        required
        maxLength={255}
        data-autofocus
        placeholder={values.match === 'regex' ? '^team-.*-16$' : 'big-box'}
        value={values.pattern}
        onChange={(event) => onChange({ ...values, pattern: event.currentTarget.value })}
        error={errorOf(error, 'pattern')}
      />
    </Group>
  );
}

const roundings = [
  { value: 'usual', label: 'Default' },
  { value: 'minute', label: 'Whole minutes' },
  { value: 'second', label: 'Whole seconds' },
] as const;

function PriceFields({ values, error, onChange }: FieldsProps) {
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label="Pricing"
        value={values.by}
        onChange={(by) => onChange({ ...values, by: by as Values['by'] })}
        data={[
          { value: 'kind', label: 'Price list' },
          { value: 'rate', label: 'Own rate' },
        ]}
      />
      <Group align="flex-start" grow preventGrowOverflow={false}>
        {values.by === 'kind' ? (
          <KindField values={values} error={error} onChange={onChange} />
        ) : (
          <>
            <TextInput
              label="Name"
              required
              maxLength={100}
              placeholder="Depot 8-core"
              value={values.name}
              onChange={(event) => onChange({ ...values, name: event.currentTarget.value })}
              error={errorOf(error, 'name')}
            />
            <RateInput
              label="Rate per minute (US dollars)"
              value={values.rate}
              onChange={(rate) => onChange({ ...values, rate })}
              error={errorOf(error, 'usd_per_minute')}
            />
          </>
        )}
        <Choice
          label="Round up to"
          options={roundings}
          value={values.rounding}
          onChange={(rounding) => onChange({ ...values, rounding })}
        />
      </Group>
      {values.by === 'rate' && (
        <LaterRates rates={values.later} error={error} onChange={(later) => onChange({ ...values, later })} />
      )}
    </Stack>
  );
}

function KindField({ values, error, onChange }: FieldsProps) {
  const kinds = useQuery(runnerKindsQuery);
  return (
    <Choice
      label="Runner"
      required
      options={kindChoices(kinds.data ?? [])}
      none="Choose one"
      value={values.kind}
      onChange={(kind) => onChange({ ...values, kind })}
      error={errorOf(error, 'runner_kind')}
    />
  );
}

type LaterRate = { key: number; from: string; rate: TypedRate };

type LaterRatesProps = { rates: LaterRate[]; error: Error | null; onChange: (rates: LaterRate[]) => void };

/** The rates that follow the first one. Jobs of earlier days keep the earlier rate. */
function LaterRates({ rates, error, onChange }: LaterRatesProps) {
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
            error={errorOf(error, `later_rates[${index}].effective_from`)}
          />
          <RateInput
            label="Later rate per minute"
            value={rate.rate}
            onChange={(typed) => change(rate.key, { rate: typed })}
            error={errorOf(error, `later_rates[${index}].usd_per_minute`)}
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
      <Button
        variant="default"
        size="compact-sm"
        style={{ alignSelf: 'flex-start' }}
        onClick={() => onChange([...rates, { key: keyAfter(rates), from: '', rate: '' }])}
      >
        Add later rate
      </Button>
    </Stack>
  );
}
