import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { isUnderWay, type Reprice } from '../../api/queries.ts';

/** Reloads everything when a reprice ends, because any cost may have changed. */
export function useRefreshAtTheEnd(reprices: Reprice[] | undefined) {
  const queryClient = useQueryClient();
  const ended = reprices
    ?.filter((reprice) => !isUnderWay(reprice) && !reprice.dry_run)
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
