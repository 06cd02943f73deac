import type { Poller } from '../platform/work/worker.ts';
import { removeSome, type DeletionProgram } from './deleteOrganization.ts';

/** Removes what is stored of deleted organizations. */
export function deletionPollers(program: Pick<DeletionProgram, 'db' | 'log'>): Poller[] {
  return [
    {
      name: 'remove deleted organizations',
      everyMilliseconds: 2_000,
      run: () => removeSome(program),
    },
  ];
}
