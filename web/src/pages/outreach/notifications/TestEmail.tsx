import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import type { Member } from '../../../api/queries.ts';
import { useSession } from '../../../api/session.ts';
import { Choice } from '../../../ui/Choice.tsx';
import { FormError } from '../../../ui/FormError.tsx';
import { TestOutcome, useTestEmail } from './TestOutcome.tsx';

/** Sends to the signed-in member, or to a chosen one if no member is signed in. */
export function TestEmail({ members }: { members: Member[] }) {
  const { data: session } = useSession();
  const me = members.find(({ email }) => email === session?.member?.email);
  const [chosenId, setChosenId] = useState<string | null>(null);
  const test = useTestEmail();
  const to = me ?? members.find(({ id }) => id === chosenId) ?? members[0];
  return (
    <Stack gap="sm" mt="xs" maw={640}>
      <Group align="flex-end">
        {!me && (
          <Choice
            label="Send a test email to"
            options={members.map(({ id, email }) => ({ value: id, label: email }))}
            value={to?.id ?? ''}
            onChange={(id) => {
              setChosenId(id);
              test.reset();
            }}
            flex={1}
            miw={200}
          />
        )}
        <Button variant="default" loading={test.isPending} onClick={() => to && test.mutate(to.id)}>
          {me ? 'Send me a test email' : 'Send a test email'}
        </Button>
      </Group>
      <FormError error={test.error} fields={[]} />
      <TestOutcome outcome={test.data} recipient="The mail server" />
    </Stack>
  );
}
