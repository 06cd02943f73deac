import { useState } from 'react';
import type { ListedAlert } from '../../../alerts/types.ts';
import { Confirm } from '../../../ui/Confirm.tsx';
import { AllowedButton } from '../../../ui/rights.tsx';
import { useDeleteAlert, useSwitchAlert, useWhyNoChange } from './alertQueries.ts';

type Props = { alert: Pick<ListedAlert, 'id' | 'name' | 'enabled'>; onDeleted?: () => void };

export function DeleteAlert(props: Props) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <AllowedButton
        variant="default"
        size="compact-sm"
        className="delete"
        reason={useWhyNoChange()}
        onClick={() => setIsAsking(true)}
        aria-label={`Delete ${props.alert.name}`}
      >
        Delete
      </AllowedButton>
      {isAsking && <ConfirmDeletion {...props} onClose={() => setIsAsking(false)} />}
    </>
  );
}

export function ConfirmDeletion({ alert, onDeleted, onClose }: Props & { onClose: () => void }) {
  const deletion = useDeleteAlert(alert);
  const change = useSwitchAlert(alert);
  // The initial state, because the pressed button must stay until the dialog closes.
  const [isOn] = useState(alert.enabled);
  return (
    <Confirm
      title="Delete this alert?"
      label="Delete alert"
      instead={
        isOn
          ? {
              label: 'Turn off instead',
              isBusy: change.isPending,
              onClick: () => change.mutate(false, { onSettled: onClose }),
            }
          : undefined
      }
      change={deletion}
      onConfirm={() => deletion.mutate(undefined, { onSuccess: () => onDeleted?.(), onSettled: onClose })}
      onClose={onClose}
    >
      This deletes “{alert.name}” and its triggers, and resolves an open trigger. This cannot be undone.
    </Confirm>
  );
}
