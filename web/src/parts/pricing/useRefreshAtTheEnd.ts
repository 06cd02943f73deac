import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { isMoving } from '../../ui/task.ts';

type Ending = { id: string; status: string; dry_run?: boolean };

/** Reloads everything when a reprice or a load of the demo ends, because any cost may have changed. */
export function useRefreshAtTheEnd(tasks: Ending[] | undefined) {
  const queryClient = useQueryClient();
  const ended = tasks
    ?.filter((task) => !isMoving(task) && !task.dry_run)
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
