import { Button, Text } from '@mantine/core';
import { useRef } from 'react';
import { api, sessionApi } from '../../../api/client.ts';
import { StepForm } from '../../../ui/Form.tsx';

/** Makes the owner, who came by a link or token of the server, a member with a name and an address. */
export function Yourself({ onSkip }: { onSkip: () => void }) {
  // If accepting it fails, the next try accepts the same one.
  const invited = useRef({ email: '', invitation: '' });
  return (
    <StepForm
      label="Continue"
      maw={420}
      initial={{ name: '', email: '' }}
      fields={[
        <Text size="sm">
          The audit log and your invitations show your name, and alerts go to your address.
        </Text>,
        {
          name: 'name',
          label: 'Name',
          required: true,
          withAsterisk: false,
          maxLength: 255,
          autoComplete: 'name',
        },
        {
          name: 'email',
          label: 'Email',
          type: 'email',
          required: true,
          withAsterisk: false,
          maxLength: 254,
          autoComplete: 'email',
        },
      ]}
      act={async ({ name, email }) => {
        if (invited.current.email !== email) {
          // Shown to this page only, which accepts it at once.
          const body = { email, role: 'owner' as const, send_email: false };
          const { link } = (await api.POST('/api/v1/invitations', { body })).data!.data;
          invited.current = { email, invitation: link!.slice(link!.indexOf('#') + 1) };
        }
        const { invitation } = invited.current;
        await sessionApi.POST('/api/v1/invitation/accept', { body: { invitation, name } });
      }}
      // Loads the page again, as the member.
      onDone={() => location.reload()}
      beside={
        <Button variant="subtle" onClick={onSkip}>
          Skip
        </Button>
      }
    />
  );
}
