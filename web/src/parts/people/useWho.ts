import { useQuery } from '@tanstack/react-query';
import { membersQuery, tokensQuery } from '../../api/queries.ts';
import { useWhyNot } from '../../ui/rights.tsx';
import { actorInWords, namesOfActors } from './actors.ts';

/** Names an actor. Only admins may read all names. */
export function useWho(): (actor: string) => string {
  const enabled = useWhyNot()({ role: 'admin', scope: 'admin' }) === null;
  const tokens = useQuery({ ...tokensQuery, enabled });
  const members = useQuery({ ...membersQuery, enabled });
  const { names, holders } = namesOfActors(tokens.data ?? [], members.data ?? []);
  return (actor) => actorInWords(actor, names, holders).who;
}
