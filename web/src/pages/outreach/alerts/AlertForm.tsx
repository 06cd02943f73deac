import {
  Button,
  Card,
  Group,
  Input,
  NumberInput,
  SegmentedControl,
  Stack,
  Switch,
  TextInput,
  Title,
} from '@mantine/core';
import type { ReactNode, SubmitEvent } from 'react';
import { Link } from 'wouter';
import { alertType, alertTypes, units } from '../../../alerts/alertTypes.ts';
import type { AlertType } from '../../../alerts/types.ts';
import { thresholdInWords } from '../../../alerts/words.ts';
import { ChannelChoice } from '../../../parts/ChannelChoice.tsx';
import { Choice } from '../../../ui/Choice.tsx';
import { FormError } from '../../../ui/FormError.tsx';
import { Note } from '../../../ui/Note.tsx';
import { errorOf } from '../../../ui/useChange.ts';
import {
  alertInWords,
  fieldNames,
  scopeError,
  settingsOf,
  thresholdOf,
  type AlertFields,
} from './alertFields.ts';
import { usePreview } from './alertQueries.ts';
import './alerts.css';
import { ScopeFields } from './ScopeFields.tsx';
import { frequencyChoices, periodChoices } from './words.ts';

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

export function AlertForm({
  fields,
  onChange,
  onSave,
  errors,
  error,
  isBusy,
  isNew,
  cancelTo,
  preview,
}: Props) {
  const errorAt = (field: string) => errors[field] ?? errorOf(error, field);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onSave();
  };
  return (
    <form onSubmit={submit} noValidate aria-label="Alert" className="alert-form">
      <Card withBorder p="md">
        <TextInput
          label="Name"
          mb="md"
          required
          maxLength={255}
          value={fields.name}
          error={errorAt('name')}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        <Section title="What to watch">
          <ScopeFields
            scope={fields.scope}
            onChange={(scope) => onChange({ scope })}
            error={errorAt('scope')}
          />
        </Section>
        <Section title="Condition">
          <TypeField fields={fields} onChange={onChange} />
          <RuleFields fields={fields} onChange={onChange} errorAt={errorAt} />
        </Section>
      </Card>
      <div className="preview-column">{preview}</div>
      <Card withBorder p="md">
        <Section title="Notifications">
          <Notified fields={fields} onChange={onChange} errorAt={errorAt} />
        </Section>
        <Section title="State">
          <Switch
            label="On"
            description="When off, the alert is not checked. Turning it off resolves open triggers."
            checked={fields.enabled}
            error={errorAt('enabled')}
            onChange={(event) => onChange({ enabled: event.currentTarget.checked })}
          />
        </Section>
      </Card>
      <div className="alert-actions">
        <FormError error={error} fields={fieldNames} />
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
    </form>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack component="section" aria-label={title} className="alert-section">
      <Title order={2} size="h4">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

type FieldProps = Pick<Props, 'fields' | 'onChange'>;
type CheckedProps = FieldProps & { errorAt: (field: string) => string | null };

function Notified({ fields, onChange, errorAt }: CheckedProps) {
  return (
    <>
      <Switch
        label="Send emails"
        description="To owners and admins with alert emails on, or to the recipients below."
        checked={fields.notify_email}
        error={errorAt('notify_email')}
        onChange={(event) => onChange({ notify_email: event.currentTarget.checked })}
      />
      {fields.notify_email && (
        <TextInput
          label="Recipients"
          description="Email addresses, separated by commas. Leave empty for owners and admins."
          value={fields.recipients}
          error={errorAt('recipients')}
          onChange={(event) => onChange({ recipients: event.currentTarget.value })}
        />
      )}
      <ChannelChoice
        description="They are set up in Settings, Notifications."
        value={fields.channel_ids}
        onChange={(ids) => onChange({ channel_ids: ids })}
        error={errorAt('channel_ids')}
      />
      {fields.channel_ids.length === 0 && (
        <Switch
          label="Notify the default channel"
          description="Or the channels of the team, if the alert watches one."
          checked={fields.notify_chat}
          error={errorAt('notify_chat')}
          onChange={(event) => onChange({ notify_chat: event.currentTarget.checked })}
        />
      )}
    </>
  );
}

function TypeField({ fields, onChange }: FieldProps) {
  return (
    <Input.Wrapper
      label="Type"
      labelElement="div"
      labelProps={{ id: 'alert-type' }}
      descriptionProps={{ mt: 6 }}
      description={`Triggers when ${alertType(fields.alert_type).condition}.`}
      inputWrapperOrder={['label', 'input', 'description']}
    >
      <SegmentedControl
        fullWidth
        aria-labelledby="alert-type"
        data={alertTypes().map(({ type, title }) => ({ value: type, label: title }))}
        value={fields.alert_type}
        // A threshold of another type is meaningless, so it is cleared.
        onChange={(type) => onChange({ alert_type: type as AlertType, threshold_amount: '' })}
      />
    </Input.Wrapper>
  );
}

function RuleFields({ fields, onChange, errorAt }: CheckedProps) {
  const { by_period, unit, unit_title } = alertType(fields.alert_type);
  const { prefix, suffix } = units[unit];
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
        {...(prefix && { prefix })}
        {...(suffix && { suffix })}
        value={fields.threshold_amount}
        error={errorAt('threshold_amount')}
        onChange={(threshold) => onChange({ threshold_amount: threshold })}
      />
      {suggested !== null && (
        <Group gap="xs" mt={-8}>
          <Note>Suggested from the last 90 days</Note>
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => onChange({ threshold_amount: suggested })}
          >
            Use {thresholdInWords(fields.alert_type, suggested)}
          </Button>
        </Group>
      )}
      {by_period && (
        <Choice
          label="Period"
          description="The amount applies to this period (UTC)."
          options={periodChoices}
          value={fields.period}
          error={errorAt('period')}
          onChange={(period) => onChange({ period })}
        />
      )}
      <Choice
        label="Check frequency"
        description={frequencyHint(fields)}
        options={frequencyChoices}
        value={fields.check_frequency}
        error={errorAt('check_frequency')}
        onChange={(frequency) => onChange({ check_frequency: frequency })}
      />
    </>
  );
}

/** The suggested threshold while none is typed. The preview sends the same query. */
function useSuggestion(fields: AlertFields): number | null {
  const { alert_type, check_frequency, period } = fields;
  const isNeeded = thresholdOf(fields) === null && scopeError(fields) === null;
  const scope = isNeeded ? settingsOf(fields, 0).scope : null;
  const { data } = usePreview({ alert_type, check_frequency, period, threshold_amount: null, scope });
  return isNeeded ? (data?.suggested_threshold ?? null) : null;
}

function frequencyHint({ alert_type, check_frequency }: AlertFields): string {
  const { compared_with: comparedWith } = alertType(alert_type);
  if (!comparedWith) return 'Runs just after midnight UTC. It also checks the period that just ended.';
  const compared = { daily: 'day', weekly: '7 days', monthly: '30 days' }[check_frequency];
  return `Compares the last ${compared} with ${comparedWith[check_frequency].long}.`;
}
