import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SmallButton, useWhyNot } from '../../ui/rights.tsx';
import { Note } from '../../ui/text.tsx';
import { ChannelForm } from './ChannelForm.tsx';
import { channelsQuery, kindsQuery } from './channels.ts';

/** Creates a channel where one is chosen, so that nothing that is typed there is lost. */
export function ConnectChannel({ onCreated }: { onCreated: (id: string) => void }) {
  const { data: channels } = useQuery(channelsQuery);
  const { data: kinds = [] } = useQuery(kindsQuery);
  const [isOpen, setIsOpen] = useState(false);
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  const isFirst = channels?.length === 0;
  const titles = kinds.slice(0, 2).map(({ title }) => title);
  return (
    <Group gap="sm">
      {isFirst && <Note>No channel yet.</Note>}
      <SmallButton reason={reason} disabled={kinds.length === 0} onClick={() => setIsOpen(true)}>
        Connect {isFirst ? `${titles.join(', ')} and others` : 'another channel'}
      </SmallButton>
      {isOpen && (
        <ChannelForm
          kinds={kinds}
          channel={null}
          suggestedName={isFirst ? 'default' : ''}
          onCreated={onCreated}
          onClose={() => setIsOpen(false)}
        />
      )}
    </Group>
  );
}
