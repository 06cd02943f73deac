import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../../api/client.ts';
import { useSignOut } from '../../api/session.ts';
import { Confirm } from '../../ui/Dialog.tsx';
import { showMessage } from '../../ui/messages.ts';
import { Panel } from '../../ui/Panel.tsx';
import { InText } from '../../ui/text.tsx';
import { useChange } from '../../ui/useChange.ts';

export function DeleteOrganization({ name }: { name: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const [typed, setTyped] = useState('');
  const [, navigate] = useLocation();
  const signOut = useSignOut();
  const removal = useChange({
    act: () => api.DELETE('/api/v1/organization', { params: { query: { confirm: typed } } }),
  });
  const leave = async () => {
    // The session no longer exists. This clears it here and in other tabs.
    await signOut();
    navigate('/');
    showMessage({ text: `${name} was deleted.`, color: 'green', seconds: null });
  };
  return (
    <Panel title="Delete organization">
      <Group justify="space-between">
        <Text size="sm" maw={620}>
          This deletes all runs, costs, alerts, webhooks and members of {name}. This cannot be undone. To keep
          your data, download <InText href="/exports">exports</InText> first.
        </Text>
        <Button variant="default" className="delete" onClick={() => setIsAsking(true)}>
          Delete organization
        </Button>
      </Group>
      {isAsking && (
        <Confirm
          title={`Delete ${name}?`}
          label="Delete everything"
          isDisabled={typed !== name}
          change={removal}
          onClose={() => setIsAsking(false)}
          onConfirm={() => removal.mutate(undefined, { onSuccess: () => void leave() })}
        >
          <Stack gap="sm">
            <span>
              Everyone is signed out. Tokens and sources stop working, and nothing more is sent. This cannot
              be undone.
            </span>
            <TextInput
              label={
                <>
                  Type the organization name: <b>{name}</b>
                </>
              }
              data-autofocus
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
            />
          </Stack>
        </Confirm>
      )}
    </Panel>
  );
}
