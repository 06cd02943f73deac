export const actorKinds = ['person', 'bot', 'agent'] as const;
export type ActorKind = (typeof actorKinds)[number];

/** Several of a kind, within a sentence. */
export const actorKindWords: Record<ActorKind, string> = { person: 'people', bot: 'bots', agent: 'agents' };

/** `*` stands for any characters, and case does not matter. */
export type ActorPattern = { pattern: string; kind: ActorKind };

/** Describes the field of an attempt or a run. */
export const actorKindText = '`person`, `bot` or `agent`, by the patterns of today; null without an actor';
