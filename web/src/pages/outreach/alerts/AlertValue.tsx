import { Text } from '@mantine/core';
import { alertType } from '../../../alerts/alertTypes.ts';
import type { AlertType } from '../../../alerts/types.ts';
import { thresholdInWords } from '../../../alerts/words.ts';
import { Money } from '../../../ui/Money.tsx';
import { valueInWords } from './words.ts';

export function AlertValue({ type, value }: { type: AlertType; value: number }) {
  const { unit, compared_with } = alertType(type);
  if (unit === 'usd' && !compared_with) return <Money amount={value} />;
  return <Figures>{valueInWords(type, value)}</Figures>;
}

export function Threshold({ type, amount }: { type: AlertType; amount: number }) {
  return <Figures>{thresholdInWords(type, amount)}</Figures>;
}

function Figures({ children }: { children: string }) {
  return (
    <Text span inherit style={{ fontVariantNumeric: 'tabular-nums' }}>
      {children}
    </Text>
  );
}
