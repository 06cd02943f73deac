import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { OneAlert } from '../../../alerts/types.ts';
import { Choice } from '../../../ui/Choice.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { AllowedButton } from '../../../ui/rights.tsx';
import { useSnoozeAlert, useWhyNoChange } from './alertQueries.ts';

const hourMilliseconds = 3_600_000;
const lengths = [
  { value: '1', label: '1 hour' },
  { value: '24', label: '1 day' },
  { value: '168', label: '1 week' },
  { value: '720', label: '30 days' },
];

export function Snooze({ alert }: { alert: OneAlert }) {
  const [isOpen, setOpen] = useState(false);
  const [hours, setHours] = useState('24');
  const snooze = useSnoozeAlert(alert);
  const reason = useWhyNoChange();
  const isSnoozed = alert.snoozed_until !== null;
  const start = () => {
    const until = new Date(Date.now() + Number(hours) * hourMilliseconds).toISOString();
    snooze.mutate(until, { onSuccess: () => setOpen(false) });
  };
  return (
    <>
      <AllowedButton
        variant="default"
        size="compact-sm"
        reason={reason}
        loading={snooze.isPending}
        onClick={() => (isSnoozed ? snooze.mutate(null) : setOpen(true))}
      >
        {isSnoozed ? 'End snooze' : 'Snooze'}
      </AllowedButton>
      {isOpen && (
        <Dialog title={`Snooze “${alert.name}”`} onClose={() => setOpen(false)} size="sm">
          <Stack>
            <Text size="sm">
              Nobody is notified meanwhile. The alert is still checked, and webhooks still get its events. If
              it is over its threshold when the snooze ends, we notify once.
            </Text>
            <Choice label="For" options={lengths} value={hours} onChange={setHours} />
            <Group justify="flex-end">
              <Button variant="default" onClick={() => setOpen(false)}>
                Cancel
              </Button>
              <Button loading={snooze.isPending} onClick={start}>
                Snooze
              </Button>
            </Group>
          </Stack>
        </Dialog>
      )}
    </>
  );
}
