import { Checkbox, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { channelsQuery, kindsQuery } from './channels.ts';

type Props = {
  value: readonly string[];
  onChange: (ids: string[]) => void;
  error: string | null;
  description?: string;
  isForDigest?: boolean;
};

/** Nothing while the organization has no channel to choose. */
export function ChannelChoice({ value, onChange, error, description, isForDigest = false }: Props) {
  const { data: channels = [] } = useQuery(channelsQuery);
  const { data: kinds = [] } = useQuery(kindsQuery);
  const shown = channels
    .map((channel) => ({ ...channel, of: kinds.find(({ kind }) => kind === channel.kind) }))
    .filter(({ of }) => !isForDigest || of?.takes_digests);
  if (shown.length === 0) return null;
  return (
    <Checkbox.Group
      label="Channels"
      description={description}
      error={error}
      value={[...value]}
      onChange={onChange}
    >
      <Stack gap="xs" mt="xs">
        {shown.map(({ id, name, kind, of }) => (
          <Checkbox key={id} value={id} label={`${name} (${of?.title ?? kind})`} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
