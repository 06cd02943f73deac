import type { Database } from '../db/database.ts';
import { findHold } from '../db/installation.ts';
import type { Poller } from './worker.ts';

type HoldWatch = {
  poller: Poller;
  /** Wraps a poller so that it finds no work while the installation is on hold. */
  unlessHeld: (poller: Poller) => Poller;
};

/** Checks every second, because a request to another process may end the hold. */
export function watchHold(db: Database): HoldWatch {
  let held: Promise<boolean> | null = null;
  const look = () => (held = findHold(db).then((hold) => hold !== null));
  return {
    poller: {
      name: 'hold',
      everyMilliseconds: 1_000,
      run: async () => {
        await look();
        return false;
      },
    },
    unlessHeld: (poller) => ({
      ...poller,
      run: async (signal) => ((await (held ?? look())) ? false : poller.run(signal)),
    }),
  };
}
