import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { DayField } from '../../../analysis/DayField.tsx';
import { api } from '../../../api/client.ts';
import { Choice } from '../../../ui/Choice.tsx';
import { Form } from '../../../ui/Form.tsx';
import { SmallButton } from '../../../ui/rights.tsx';
import { rulesQuery, shadowKey, shadowRatesKey, type ShadowRate } from './queries.ts';
import { RateInput } from './RateInput.tsx';
import { datedRate, keyAfter, storedRate, type DatedRate } from './words.ts';

export function ShadowForm({ rates, onClose }: { rates: ShadowRate[]; onClose: () => void }) {
  return (
    <Form
      title="Shadow rates"
      size="xl"
      label="Save rates"
      initial={{ rows: rates.map(datedRate) }}
      isDisabled={({ rows }) => rows.some(({ rate }) => rate === '')}
      fields={({ values: { rows }, change, errorAt }) => [
        <Text size="sm">
          What a minute costs you, and from which day. Without a day, the rate always applies. The rates also
          apply to recorded jobs.
        </Text>,
        ...rows.map((row, index) => (
          <RateRow
            key={row.key}
            row={row}
            error={errorAt(`rates[${index}]`)}
            onChange={(fields) =>
              change({ rows: rows.map((each) => (each === row ? { ...row, ...fields } : each)) })
            }
            onRemove={() => change({ rows: rows.filter((each) => each !== row) })}
          />
        )),
        // With a key it stays the same button, and focused, below a new row.
        <SmallButton
          key="add"
          style={{ alignSelf: 'flex-start' }}
          onClick={() =>
            change({ rows: [...rows, { key: keyAfter(rows), kind: 'self_hosted', rate: '', from: '' }] })
          }
        >
          Add rate
        </SmallButton>,
      ]}
      act={({ rows }) => api.PUT('/api/v1/pricing/shadow-rates', { body: { rates: rows.map(storedRate) } })}
      done="Shadow rates saved."
      refresh={[shadowKey, shadowRatesKey]}
      onClose={onClose}
    />
  );
}

type RowProps = {
  row: DatedRate;
  error: string | null;
  onChange: (fields: Partial<DatedRate>) => void;
  onRemove: () => void;
};

function RateRow({ row, error, onChange, onRemove }: RowProps) {
  const rules = useQuery(rulesQuery);
  const own = (rules.data ?? []).flatMap(({ name }) => (name === null ? [] : [name]));
  const kinds = [
    { value: 'self_hosted', label: 'Self-hosted' },
    { value: 'third_party', label: 'Third-party' },
    ...[...new Set(own)].map((name) => ({ value: `custom:${name}`, label: name })),
  ];
  return (
    <Group align="flex-end" gap="xs">
      <Choice
        label="Runners"
        options={kinds}
        value={row.kind}
        onChange={(kind) => onChange({ kind })}
        error={error}
      />
      <RateInput label="Rate per minute" w={130} value={row.rate} onChange={(rate) => onChange({ rate })} />
      <DayField label="From (optional)" value={row.from} onChange={(from) => onChange({ from })} />
      <Button variant="default" aria-label="Remove this rate" onClick={onRemove}>
        Remove
      </Button>
    </Group>
  );
}
