import { Button, Card, Group, Input, NumberInput, SegmentedControl, Stack } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { Link } from 'wouter';
import { alertType, alertTypes } from '../../../parts/alerts/alertTypes.ts';
import { useScopeValues } from '../../../parts/alerts/queries.ts';
import type { AlertType, Scope, ScopeType } from '../../../parts/alerts/types.ts';
import { thresholdInWords } from '../../../parts/alerts/words.ts';
import { ChannelChoice } from '../../../parts/channels/ChannelChoice.tsx';
import { ConnectChannel } from '../../../parts/channels/ConnectChannel.tsx';
import { Choice } from '../../../ui/Choice.tsx';
import { Fields, formOf, namesIn, type FormState, type Item } from '../../../ui/Form.tsx';
import { FormError } from '../../../ui/FormError.tsx';
import { SectionTitle } from '../../../ui/Panel.tsx';
import { PlainForm } from '../../../ui/PlainForm.tsx';
import { SmallButton } from '../../../ui/rights.tsx';
import { Note } from '../../../ui/text.tsx';
import { errorOf } from '../../../ui/useChange.ts';
import './alerts.css';
import {
  type AlertFields,
  alertInWords,
  limitsOf,
  measuresOf,
  ofKind,
  scopeError,
  settingsOf,
  thresholdOf,
} from './alertFields.ts';
import { usePreview } from './alertQueries.ts';
import { Reach } from './Reach.tsx';
import { frequencyChoices, periodChoices, scopeChoices } from './words.ts';

type Props = {
  fields: AlertFields;
  onChange: (changes: Partial<AlertFields>) => void;
  onSave: () => void;
  errors: Record<string, string>;
  error: Error | null;
  isBusy: boolean;
  isNew: boolean;
  cancelTo: string;
  /** Shown beside the form, or on phones after the condition. */
  preview: ReactNode;
};

export function AlertForm(props: Props) {
  const { fields, onChange, onSave, errors, error, isBusy, isNew, cancelTo, preview } = props;
  const form = formOf(fields, onChange, (field) => errors[field] ?? errorOf(error, field));
  const declared = namesIn([named, ...timing(fields), ...notified(form), enabled]);
  return (
    <PlainForm onSubmit={onSave} error={error} noValidate aria-label="Alert" className="alert-form">
      <Card withBorder p="md">
        <Fields form={form} list={[named]} />
        <Section title="What to watch">
          <ScopeFields {...form.input('scope')} types={limitsOf(fields)?.scope_types} />
        </Section>
        <Section title="Condition">
          <TypeField fields={fields} onChange={onChange} />
          <MeasureField fields={fields} onChange={onChange} />
          <RuleFields form={form} />
        </Section>
      </Card>
      <div className="preview-column">{preview}</div>
      <Card withBorder p="md">
        <Section title="Notifications">
          <Fields form={form} list={notified(form)} />
          <Reach fields={fields} />
        </Section>
        {!isNew && (
          <Section title="State">
            <Fields form={form} list={[enabled]} />
          </Section>
        )}
      </Card>
      <div className="alert-actions">
        <FormError error={error} fields={['scope', 'threshold_amount', 'channel_ids', ...declared]} />
        <Group justify="space-between" gap="xs">
          <Note aria-live="polite" flex="1 1 300px" className="alert-words">
            {alertInWords(fields)}
          </Note>
          <Group gap="sm" ml="auto">
            <Button component={Link} href={cancelTo} variant="default">
              Cancel
            </Button>
            <Button type="submit" loading={isBusy}>
              {isNew ? 'Create alert' : 'Save changes'}
            </Button>
          </Group>
        </Group>
      </div>
    </PlainForm>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack component="section" aria-label={title} className="alert-section">
      <SectionTitle>{title}</SectionTitle>
      {children}
    </Stack>
  );
}

const named: Item<AlertFields> = { name: 'name', label: 'Name', mb: 'md', required: true, maxLength: 255 };

const enabled: Item<AlertFields> = {
  name: 'enabled',
  kind: 'switch',
  label: 'On',
  description: 'When off, the alert is not checked. Turning it off resolves open triggers.',
};

const notified = ({ values, input, change }: FormState<AlertFields>): Item<AlertFields>[] => [
  {
    name: 'notify_email',
    kind: 'switch',
    label: 'Send emails',
    description: 'To owners and admins with alert emails on, or to the recipients below.',
  },
  values.notify_email && {
    name: 'recipients',
    label: 'Recipients',
    description: 'Email addresses, separated by commas. Leave empty for owners and admins.',
  },
  <ChannelChoice {...input('channel_ids')} />,
  <ConnectChannel onCreated={(id) => change({ channel_ids: [...values.channel_ids, id] })} />,
  values.channel_ids.length === 0 && {
    name: 'notify_chat',
    kind: 'switch',
    label: 'Notify the default channel',
    description: 'Or the channels of the team, if the alert watches one.',
  },
];

function TypeField({ fields, onChange }: Pick<Props, 'fields' | 'onChange'>) {
  return (
    <Input.Wrapper
      label="Type"
      labelElement="div"
      labelProps={{ id: 'alert-type' }}
      descriptionProps={{ mt: 6 }}
      description={`Triggers when ${alertType(fields).condition}.`}
      inputWrapperOrder={['label', 'input', 'description']}
    >
      <SegmentedControl
        fullWidth
        aria-labelledby="alert-type"
        data={alertTypes().map(({ type, title }) => ({ value: type, label: title }))}
        value={fields.alert_type}
        onChange={(type) => onChange(ofKind(fields, { alert_type: type as AlertType, measure: 'list_cost' }))}
      />
    </Input.Wrapper>
  );
}

function MeasureField({ fields, onChange }: Pick<Props, 'fields' | 'onChange'>) {
  const measures = measuresOf(fields.alert_type);
  if (measures.length < 2) return null;
  return (
    <Choice
      label="Measure"
      options={measures.map(({ measure, measure_title: label }) => ({ value: measure, label }))}
      value={fields.measure}
      onChange={(measure) => onChange(ofKind(fields, { ...fields, measure }))}
    />
  );
}

function RuleFields({ form }: { form: FormState<AlertFields> }) {
  const { values: fields, input, change } = form;
  const { unit_title, unit_prefix, unit_suffix } = alertType(fields);
  const suggested = useSuggestion(fields);
  return (
    <>
      <NumberInput
        label={`Threshold in ${unit_title}`}
        required
        inputMode="decimal"
        thousandSeparator=","
        decimalScale={9}
        hideControls
        prefix={unit_prefix}
        suffix={unit_suffix}
        {...input('threshold_amount')}
      />
      {suggested !== null && (
        <Group gap="xs" mt={-8}>
          <Note>Suggested from the last 90 days</Note>
          <SmallButton onClick={() => change({ threshold_amount: suggested })}>
            Use {thresholdInWords(fields, suggested)}
          </SmallButton>
        </Group>
      )}
      <Fields form={form} list={timing(fields)} />
    </>
  );
}

const timing = (fields: AlertFields): Item<AlertFields>[] => [
  alertType(fields).by_period &&
    limitsOf(fields)?.periods.length !== 1 && {
      name: 'period',
      kind: 'choice',
      label: 'Period',
      description: 'The amount applies to this period (UTC).',
      options: periodChoices,
    },
  {
    name: 'check_frequency',
    kind: 'choice',
    label: 'Check frequency',
    description: frequencyHint(fields),
    options: frequencyChoices,
  },
];

/** The suggested threshold while none is typed. The preview sends the same query. */
function useSuggestion(fields: AlertFields): number | null {
  const { alert_type, measure, check_frequency, period } = fields;
  const isNeeded = thresholdOf(fields) === null && scopeError(fields) === null;
  const scope = isNeeded ? settingsOf(fields, 0).scope : null;
  const { data } = usePreview({
    alert_type,
    measure,
    check_frequency,
    period,
    threshold_amount: null,
    scope,
  });
  return isNeeded ? (data?.suggested_threshold ?? null) : null;
}

function frequencyHint(fields: AlertFields): string {
  const { check_frequency } = fields;
  const { compared_with: comparedWith } = alertType(fields);
  if (!comparedWith) return 'Runs just after midnight UTC. It also checks the period that just ended.';
  const compared = { daily: 'day', weekly: '7 days', monthly: '30 days' }[check_frequency];
  return `Compares the last ${compared} with ${comparedWith[check_frequency].long}.`;
}

type ScopeProps = {
  value: Scope;
  onChange: (scope: Scope) => void;
  error: string | null;
  /** All, if it is undefined. */
  types: readonly ScopeType[] | undefined;
};

function ScopeFields({ value: scope, onChange, error, types }: ScopeProps) {
  const { data: known = [] } = useScopeValues(scope.type);
  const listId = useId();
  const change = (changes: Partial<Scope>) => {
    // The name is that of the value before.
    const { name: _, ...next } = { ...scope, ...changes };
    onChange({ ...next, value: next.value ?? '' });
  };
  return (
    <Stack gap="xs">
      <Choice
        label="Watches"
        options={scopeChoices.filter(({ value }) => types?.includes(value) !== false)}
        value={scope.type}
        onChange={(type) => onChange(type === 'organization' ? { type } : { type, value: '' })}
      />
      <Fields
        form={formOf(scope, change, (name) => (name === 'value' ? error : null))}
        list={[
          valueField(scope, known, listId),
          scope.type === 'branch' && {
            name: 'repository',
            label: 'Repository',
            description: 'Optional. Leave empty for all repositories.',
            maxLength: 255,
          },
        ]}
      />
      <datalist id={listId}>
        {known.map((option) => (
          <option key={option.value} value={option.value} />
        ))}
      </datalist>
    </Stack>
  );
}

const patterns = { repository: 'acme/api-*', branch: 'release/*' };

function valueField(
  { type, value = '', name }: Scope,
  known: readonly { value: string; label: string }[],
  list: string,
): Item<Scope> {
  if (type === 'organization') return null;
  const { label } = scopeChoices.find((choice) => choice.value === type)!;
  const common = { name: 'value', label, required: true } as const;
  if (type === 'repository' || type === 'branch') {
    const description = `A name, or a pattern such as ${patterns[type]}.`;
    return { ...common, description, maxLength: 255, list };
  }
  const kept = value !== '' && name ? [{ value, label: name }] : [];
  const others = known.filter((option) => option.value !== kept[0]?.value);
  return { ...common, kind: 'choice', none: 'Choose …', options: [...kept, ...others] };
}
