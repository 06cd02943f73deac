import { Button, Group, Stack } from '@mantine/core';
import { DayField } from '../../../analysis/DayField.tsx';
import { errorOf } from '../../../ui/useChange.ts';
import { RateInput } from './RateInput.tsx';
import { keyAfter, type TypedRate } from './words.ts';

export type LaterRate = { key: number; from: string; rate: TypedRate };

type Props = { rates: LaterRate[]; error: Error | null; onChange: (rates: LaterRate[]) => void };

/** The rates that follow the first one. Jobs of earlier days keep the earlier rate. */
export function LaterRates({ rates, error, onChange }: Props) {
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
