import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { isUnderWay, type Reprice } from './queries.ts';

/** Loads everything again once another reprice has ended: whatever shows a cost may show another one. */
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
