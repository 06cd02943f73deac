import { getOrCreate } from '../../platform/lib/lists.ts';
import { globOf } from '../../platform/lib/text.ts';
import type { ActorKind, ActorPattern } from './actorPattern.ts';
import { knownActors, knownPaths } from './knownActors.ts';

/** What an attempt, or a run, has of its actor. */
export type Acted = {
  actor: string | null;
  startedBy: string | null;
  event: string | null;
  workflowPath: string | null;
};

export type ActorKinds = { of: (acted: Acted) => ActorKind | null };

type Known = {
  /** The organization's own. */
  patterns: readonly ActorPattern[];
  /** Accounts that their provider reports as programs. */
  bots: ReadonlySet<string>;
};

/**
 * Decides by what the provider reports, then by the organization's patterns, then by the shipped ones. Whoever is left is
 * a person.
 */
export function createActorKinds({ patterns, bots }: Known): ActorKinds {
  const matchers = [...patterns.toSorted(moreExactFirst), ...knownActors].map(matcherOf);
  const paths = knownPaths.map(matcherOf);
  const kinds = new Map<string, ActorKind | null>();
  const kindOfName = (name: string): ActorKind | null => {
    const isBot = bots.has(name);
    const lower = name.toLowerCase();
    // An app is never a person. The patterns say whether it is an agent.
    const found = matchers.find(({ kind, matches }) => !(isBot && kind === 'person') && matches(lower));
    return found?.kind ?? (isBot ? 'bot' : null);
  };
  return {
    of: ({ actor, startedBy, event, workflowPath }) => {
      if (actor === null) return null;
      // What a workflow is run for holds for who started it. Who runs it again acts for themselves.
      const isStarter = startedBy === null || startedBy === actor;
      const path = workflowPath?.toLowerCase();
      const ofPath = isStarter && path && paths.find(({ matches }) => matches(path))?.kind;
      const ofClock = isStarter && event === 'schedule' ? 'bot' : 'person';
      return ofPath || (getOrCreate(kinds, actor, () => kindOfName(actor)) ?? ofClock);
    },
  };
}

/** Names before patterns, and longer patterns first, so their order of creation does not matter. */
function moreExactFirst({ pattern: a }: ActorPattern, { pattern: b }: ActorPattern): number {
  return Number(a.includes('*')) - Number(b.includes('*')) || b.length - a.length || (a < b ? -1 : 1);
}

function matcherOf({ pattern, kind }: ActorPattern) {
  return { kind, matches: globOf(pattern.toLowerCase()) };
}
