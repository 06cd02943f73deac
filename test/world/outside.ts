import type { MailFailure, Mailer } from '../../src/outreach/channels/email/mailer.ts';
import type { Egress, EgressOutcome } from '../../src/platform/egress/egress.ts';
import type { Random } from '../../src/platform/lib/random.ts';
import type { Outside } from './processes.ts';
import { faultsOfMail, faultsOfPost, type Surroundings as OfReceiver } from './receiver.ts';
import type { Scheduler } from './scheduler.ts';
import type { Place } from './seams.ts';

type Surroundings = OfReceiver & {
  readonly scheduler: Scheduler;
  readonly problems: string[];
  readonly isCalm: boolean;
  readonly random: Random;
  forward: (seconds: number) => void;
};

const noTimes = { dnsMilliseconds: null, connectMilliseconds: null, tlsMilliseconds: null };
const times = { ...noTimes, firstByteMilliseconds: 1, totalMilliseconds: 1 };
const answered = (statusCode: number): EgressOutcome => ({
  kind: 'answer',
  statusCode,
  headers: {},
  body: Buffer.alloc(0),
  truncated: false,
  retryAfter: null,
  locationHost: null,
  note: null,
  times,
});
const failed = (errorClass: 'timeout' | 'reset' | 'connect', message: string): EgressOutcome => ({
  kind: 'failure',
  errorClass,
  message,
  times,
});

/** How often it happens, and how. */
const habits = ['well', 'slow', 'refuses', 'after the time-out', 'reset', 'away', 'hangs'] as const;
type Habit = (typeof habits)[number];
const shares = [0.48, 0.06, 0.12, 0.1, 0.06, 0.06, 0.12];
/** How long it takes. One that hangs takes longer than any lease. */
const secondsOf: Partial<Record<Habit, number>> = { slow: 25, 'after the time-out': 30, hangs: 600 };

/** The receiver and the mail server of the world, which answer when the scheduler lets them. */
export function createOutside(world: Surroundings) {
  const { scheduler } = world;
  const received: unknown[] = [];

  function habit(): Habit {
    if (world.isCalm) return 'well';
    let left = world.random();
    for (const [at, share] of shares.entries()) if ((left -= share) < 0) return habits[at]!;
    return 'well';
  }

  /** Waits for its turn, and lets time pass as long as the answer takes. */
  function answer(
    place: Place,
    name: string,
    { onWait, end }: { onWait: () => Promise<void>; end: (how: Habit) => () => void },
  ): void {
    const turn = { name, place, client: null, drop: () => {} };
    const run = async () => {
      const how = habit();
      scheduler.note(`  ${how}`);
      if (how !== 'well') world.sometimes(`outside: ${how}`);
      world.forward(secondsOf[how] ?? 0);
      if (how !== 'hangs') return end(how);
      // Meanwhile others take over what its sender has leased.
      return () => scheduler.add({ ...turn, run: async () => end(how) });
    };
    scheduler.add({ ...turn, run, onWait });
  }

  const outcomes: Record<Habit, EgressOutcome> = {
    well: answered(204),
    slow: answered(204),
    hangs: answered(204),
    refuses: answered(500),
    'after the time-out': failed('timeout', 'not answered in full within 30000 ms'),
    reset: failed('reset', 'the connection was closed'),
    away: failed('connect', 'nobody is there'),
  };

  const outside: Outside = {
    egress: (place: Place, real: Egress) => ({
      ...real,
      post: (post) =>
        new Promise((resolve) => {
          answer(place, `answer to ${post.headers['webhook-id']}`, {
            onWait: async () => void world.problems.push(...(await faultsOfPost(world, post))),
            end: (how) => {
              if (how !== 'away') received.push(JSON.parse(post.body.toString()));
              return () => resolve(outcomes[how]);
            },
          });
        }),
    }),
    mailer: (place: Place): Mailer => ({
      close: () => {},
      send: ({ messageId }) =>
        new Promise((resolve, reject) => {
          answer(place, `mail server to ${messageId}`, {
            onWait: async () =>
              void world.problems.push(...(await faultsOfMail(world, place.name, messageId))),
            end: (how) => {
              const isTaken = ['well', 'slow', 'hangs'].includes(how);
              const failure: MailFailure = Object.assign(new Error(how), { isPermanent: false });
              return () => (isTaken ? resolve() : reject(failure));
            },
          });
        }),
    }),
  };
  return { outside, received };
}
