import { useQuery } from '@tanstack/react-query';
import { type Answer, dataQuery } from '../../api/query.ts';

const path = '/api/v1/channels';
const kindsPath = '/api/v1/channel-kinds';

export type Channel = Answer<typeof path>[number];
export type Kind = Answer<typeof kindsPath>[number];
export type Field = Kind['fields'][number];

export const channelsKey = [path];

export const channelsQuery = dataQuery(path);

export const kindsQuery = { ...dataQuery(kindsPath), staleTime: Infinity };

/** The names of channels, for ids that may no longer be there. */
export function useChannelNames(): (ids: readonly string[]) => string[] {
  const { data = [] } = useQuery(channelsQuery);
  return (ids) => ids.map((id) => data.find((channel) => channel.id === id)?.name ?? 'a deleted channel');
}
