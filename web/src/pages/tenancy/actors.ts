import { useQuery } from '@tanstack/react-query';
import { useWhyNot } from '../../ui/rights.tsx';
import { actorInWords } from './auditSentence.ts';
import { membersQuery, tokensQuery, type Member, type Token } from './queries.ts';

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

/** Names an actor. Only admins may read all names. */
export function useWho(): (actor: string) => string {
  const enabled = useWhyNot()({ role: 'admin', scope: 'admin' }) === null;
  const tokens = useQuery({ ...tokensQuery, enabled });
  const members = useQuery({ ...membersQuery, enabled });
  const { names, holders } = namesOfActors(tokens.data ?? [], members.data ?? []);
  return (actor) => actorInWords(actor, names, holders).who;
}
