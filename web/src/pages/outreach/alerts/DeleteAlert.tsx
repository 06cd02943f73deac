import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { ListedAlert } from '../../../alerts/types.ts';
import { Confirm } from '../../../ui/Confirm.tsx';
import { AllowedButton } from '../../../ui/rights.tsx';
import { useDeleteAlert, useWhyNoChange } from './alertQueries.ts';

type Props = { alert: Pick<ListedAlert, 'id' | 'name'>; isIcon?: boolean; onDeleted?: () => void };

export function DeleteAlert({ alert, isIcon = false, onDeleted }: Props) {
  const [isAsking, setIsAsking] = useState(false);
  const deletion = useDeleteAlert(alert);
  const reason = useWhyNoChange();
  const confirm = () =>
    deletion.mutate(undefined, { onSuccess: () => onDeleted?.(), onSettled: () => setIsAsking(false) });
  return (
    <>
      <AllowedButton
        variant="default"
        size="compact-sm"
        {...(isIcon ? { px: 4 } : { className: 'delete' })}
        {...(isIcon && reason === null && { 'data-hint': 'Delete' })}
        reason={reason}
        onClick={() => setIsAsking(true)}
        aria-label={`Delete ${alert.name}`}
      >
        {isIcon ? <IconTrash size={16} /> : 'Delete'}
      </AllowedButton>
      {isAsking && (
        <Confirm
          title="Delete this alert?"
          label="Delete alert"
          isBusy={deletion.isPending}
          onConfirm={confirm}
          onClose={() => setIsAsking(false)}
        >
          This deletes “{alert.name}” and its triggers, and resolves an open trigger. This cannot be undone.
          To pause the alert instead, turn it off.
        </Confirm>
      )}
    </>
  );
}
