import type { Member, Token } from '../../api/queries.ts';

export function namesOfActors(tokens: readonly Token[], members: readonly Member[]) {
  const names = new Map<string, string>([
    ...tokens.map(({ id, name }) => [id, name] as const),
    ...members.map(({ id, name, email }) => [id, name ?? email] as const),
    ...members.flatMap(({ name, email }) => (name === null ? [] : [[email, name] as const])),
  ]);
  const holders = new Map(
    tokens.flatMap(({ id, member_id: holder }) => {
      const name = holder === null ? undefined : names.get(holder);
      return name === undefined ? [] : [[id, name] as const];
    }),
  );
  return { names, holders };
}

type Names = ReadonlyMap<string, string>;

const quoted = (name: string): string => `“${name}”`;

/** `holders` maps personal tokens to the members for whom they act. */
export function actorInWords(
  actor: string,
  names: Names,
  holders: Names = new Map(),
): { who: string; via: string } {
  if (actor === 'cli' || actor === 'session of cli')
    return { who: 'Command line', via: actor === 'cli' ? 'on the server' : 'by a sign-in link' };
  const byToken = /^session of token (.+)$/.exec(actor);
  if (byToken) return { who: `Token ${quoted(byToken[1]!)}`, via: 'in a browser' };
  const session = /^session of (.+)$/.exec(actor);
  if (session) return { who: names.get(session[1]!) ?? session[1]!, via: 'in a browser' };
  const token = /^token (\S+)$/.exec(actor);
  if (token) {
    const name = quoted(names.get(token[1]!) ?? token[1]!);
    const holder = holders.get(token[1]!);
    return holder === undefined
      ? { who: `Token ${name}`, via: '' }
      : { who: holder, via: `by the token ${name}` };
  }
  // The address of a member without a name keeps its case.
  return { who: actor.includes('@') ? actor : actor.charAt(0).toUpperCase() + actor.slice(1), via: '' };
}
