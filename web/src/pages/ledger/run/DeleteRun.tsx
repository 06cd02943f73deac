import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../../../api/client.ts';
import { Confirm } from '../../../ui/Confirm.tsx';
import { countOf } from '../../../ui/figures.ts';
import { useWhyNot } from '../../../ui/rights.tsx';
import { RowMenu } from '../../../ui/RowMenu.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { runKey, type Run } from './queries.ts';

export function DeleteRun({ run }: { run: Run }) {
  const [isAsking, setIsAsking] = useState(false);
  const [, navigate] = useLocation();
  const queryClient = useQueryClient();
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  const removal = useChange({
    act: async () => {
      await api.DELETE('/api/v1/runs/{id}', { params: { path: { id: run.id } } });
    },
    done: 'Run deleted.',
  });
  // All sums have changed. The run itself is not reloaded, because this page would get a 404.
  const leave = () => {
    navigate('/workflows');
    void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== runKey });
  };
  return (
    <>
      <RowMenu of="this run" items={[{ label: 'Delete run', reason, onClick: () => setIsAsking(true) }]} />
      {isAsking && (
        <Confirm
          title="Delete this run?"
          label="Delete run"
          isBusy={removal.isPending}
          onClose={() => setIsAsking(false)}
          onConfirm={() => removal.mutate(undefined, { onSuccess: leave })}
        >
          This deletes the run and its {countOf(run.job_count, 'job')}, and removes them from all sums. This
          cannot be undone. If the run is reported again, we record it again.
        </Confirm>
      )}
    </>
  );
}
