import { Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ExplainedTrigger } from '../../../alerts/types.ts';
import { AllowedButton } from '../../../ui/rights.tsx';
import { When } from '../../../ui/When.tsx';
import { useAcknowledge, useWhyNoChange } from './alertQueries.ts';

export function Acknowledgement({ trigger }: { trigger: ExplainedTrigger }) {
  const [note, setNote] = useState('');
  const acknowledge = useAcknowledge(trigger.alert_id, trigger.id);
  const reason = useWhyNoChange();
  const known = trigger.acknowledgement;
  if (known) {
    return (
      <Text component="div" size="sm" style={{ overflowWrap: 'anywhere' }}>
        Acknowledged by <strong>{known.by}</strong> <When at={known.at} full />
        {known.note === null ? '.' : `: ${known.note}`}
      </Text>
    );
  }
  if (trigger.resolved_at !== null) return null;
  return (
    <Group gap="xs" wrap="nowrap">
      {reason === null && (
        <TextInput
          aria-label="Note"
          placeholder="Note, optional"
          maxLength={1_000}
          value={note}
          style={{ flex: '1 1 220px', minWidth: 0, maxWidth: 320 }}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
      )}
      <AllowedButton
        reason={reason}
        loading={acknowledge.isPending}
        style={{ flex: 'none' }}
        onClick={() => acknowledge.mutate(note)}
      >
        Acknowledge
      </AllowedButton>
    </Group>
  );
}
