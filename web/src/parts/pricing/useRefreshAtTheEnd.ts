import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Reprice } from '../../api/queries.ts';
import { isMoving } from '../../ui/task.ts';

/** Reloads everything when a reprice ends, because any cost may have changed. */
export function useRefreshAtTheEnd(reprices: Reprice[] | undefined) {
  const queryClient = useQueryClient();
  const ended = reprices
    ?.filter((reprice) => !isMoving(reprice) && !reprice.dry_run)
    .map(({ id }) => id)
    .join();
  const endedBefore = useRef(ended);
  useEffect(() => {
    if (endedBefore.current !== undefined && ended !== endedBefore.current) {
      void queryClient.invalidateQueries();
    }
    endedBefore.current = ended;
  }, [ended, queryClient]);
}
