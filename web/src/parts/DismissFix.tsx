import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { FormDialog } from '../ui/FormDialog.tsx';
import { errorOf } from '../ui/useChange.ts';
import { useDecision, type Fix } from './waste.ts';
import { titleOf } from './wasteCategories.ts';

export function DismissFix({ fix, onClose }: { fix: Fix; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const { mutate, isPending, error } = useDecision(fix, { isErrorShown: true });
  return (
    <FormDialog
      title="Dismiss this fix?"
      size="md"
      label="Dismiss"
      isDisabled={reason.trim() === ''}
      isBusy={isPending}
      error={error}
      fields={['body.reason']}
      onSubmit={() => mutate({ status: 'dismissed', reason: reason.trim() }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {titleOf(fix)} in {fix.repository} {fix.workflow} no longer counts as a saving. You can reopen it.
      </Text>
      <TextInput
        label="Reason"
        placeholder="Each commit of main must be tested"
        value={reason}
        maxLength={500}
        required
        data-autofocus
        error={errorOf(error, 'body.reason')}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </FormDialog>
  );
}
