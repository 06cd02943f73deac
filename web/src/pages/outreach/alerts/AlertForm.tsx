import { Button, Group, Input, NumberInput, SegmentedControl, Stack, Switch, TextInput } from '@mantine/core';
import type { SubmitEvent } from 'react';
import { Link } from 'wouter';
import { Choice } from '../../../ui/Choice.tsx';
import { FormFault } from '../../../ui/FormFault.tsx';
import { faultOf } from '../../../ui/useChange.ts';
import { fieldNames, type AlertFields } from './alertFields.ts';
import type { AlertType } from './types.ts';
import { frequencyChoices, periodChoices } from './words.ts';

type Props = {
  fields: AlertFields;
  onChange: (changes: Partial<AlertFields>) => void;
  onSave: () => void;
  /** What keeps it from being saved, by field. */
  faults: Record<string, string>;
  error: Error | null;
  isBusy: boolean;
  mayChange: boolean;
  isNew: boolean;
  cancelTo: string;
};

const types = [
  { value: 'budget', label: 'Budget' },
  { value: 'anomaly', label: 'Anomaly' },
];

export function AlertForm({
  fields,
  onChange,
  onSave,
  faults,
  error,
  isBusy,
  mayChange,
  isNew,
  cancelTo,
}: Props) {
  const faultAt = (field: string) => faults[field] ?? faultOf(error, field);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onSave();
  };
  return (
    <form onSubmit={submit} noValidate aria-label="Alert">
      <Stack>
        <TextInput
          label="Name"
          required
          maxLength={255}
          value={fields.name}
          error={faultAt('name')}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        <TypeField fields={fields} onChange={onChange} />
        <RuleFields fields={fields} onChange={onChange} faultAt={faultAt} />
        <Switch
          label="Tell by email"
          description="Owners and admins who have alert emails on. A chat of the organization is told in any case."
          checked={fields.notify_email}
          error={faultAt('notify_email')}
          onChange={(event) => onChange({ notify_email: event.currentTarget.checked })}
        />
        <Switch
          label="On"
          description="An alert that is off is not checked; switching it off resolves what it has triggered."
          checked={fields.enabled}
          error={faultAt('enabled')}
          onChange={(event) => onChange({ enabled: event.currentTarget.checked })}
        />
        <FormFault error={error} fields={fieldNames} />
        <Group justify="flex-end">
          <Button component={Link} href={cancelTo} variant="default">
            Cancel
          </Button>
          <Button type="submit" loading={isBusy} disabled={!mayChange}>
            {isNew ? 'Create alert' : 'Save changes'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type FieldProps = Pick<Props, 'fields' | 'onChange'>;

function TypeField({ fields, onChange }: FieldProps) {
  return (
    <Input.Wrapper
      label="Type"
      labelElement="div"
      labelProps={{ id: 'alert-type' }}
      descriptionProps={{ mt: 6 }}
      description={
        fields.alert_type === 'budget'
          ? 'Triggers when the spend of a period is greater than an amount.'
          : 'Triggers when spending rises by more than a percentage over the usual, and by at least one dollar.'
      }
      inputWrapperOrder={['label', 'input', 'description']}
    >
      <SegmentedControl
        fullWidth
        aria-labelledby="alert-type"
        data={types}
        value={fields.alert_type}
        // Dollars of one are not percent of the other.
        onChange={(type) => onChange({ alert_type: type as AlertType, threshold_amount: '' })}
      />
    </Input.Wrapper>
  );
}

function RuleFields({
  fields,
  onChange,
  faultAt,
}: FieldProps & { faultAt: (field: string) => string | null }) {
  const isBudget = fields.alert_type === 'budget';
  return (
    <>
      <NumberInput
        label={isBudget ? 'Threshold in US dollars' : 'Threshold in percent'}
        required
        inputMode="decimal"
        thousandSeparator=","
        decimalScale={9}
        hideControls
        {...(isBudget ? { prefix: '$' } : { suffix: ' %' })}
        value={fields.threshold_amount}
        error={faultAt('threshold_amount')}
        onChange={(threshold) => onChange({ threshold_amount: threshold })}
      />
      {isBudget && (
        <Choice
          label="Period"
          description="What the amount is for; in UTC."
          options={periodChoices}
          value={fields.period}
          error={faultAt('period')}
          onChange={(period) => onChange({ period })}
        />
      )}
      <Choice
        label="Checked"
        description={frequencyHint(fields)}
        options={frequencyChoices}
        value={fields.check_frequency}
        error={faultAt('check_frequency')}
        onChange={(frequency) => onChange({ check_frequency: frequency })}
      />
    </>
  );
}

function frequencyHint({ alert_type, check_frequency }: AlertFields): string {
  if (alert_type === 'budget') return 'Just after midnight, UTC. A period that has ended is judged as well.';
  return {
    daily: 'Compares the last day with the same weekday of the four weeks before.',
    weekly: 'Compares the last 7 days with the four weeks before.',
    monthly: 'Compares the last 30 days with the three times 30 days before.',
  }[check_frequency];
}
