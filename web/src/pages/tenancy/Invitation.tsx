import { Button, Card, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, sessionApi } from '../../api/client.ts';
import { StepForm } from '../../ui/Form.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { Note, When } from '../../ui/text.tsx';
import { Outside, signInOptionsQuery } from './ProviderButtons.tsx';

const mayDo = {
  viewer: 'see what CI costs',
  member: 'see what CI costs, report runs and manage alerts',
  admin: 'see what CI costs, and manage alerts, members, tokens, sources and webhooks',
  owner: 'do everything',
};

/** The secret is after the #, which browsers do not send to the server. */
const secretInAddress = () => location.hash.slice(1);

export function Page() {
  const [invitation] = useState(secretInAddress);
  const opened = useQuery({
    queryKey: ['/api/v1/invitation/open', invitation],
    queryFn: async () =>
      (await sessionApi.POST('/api/v1/invitation/open', { body: { invitation } })).data!.data,
    refetchOnWindowFocus: false,
  });
  const { data, error } = opened;
  return (
    <Outside
      tabTitle="Invitation"
      title={data ? `Join ${data.organization}` : 'Invitation to Runcost'}
      about={
        data &&
        `${inviterOf(data.invited_by)} invites you to Runcost, which shows what CI jobs cost and why. As ${data.role}, you can ${mayDo[data.role]}.`
      }
    >
      {data &&
        (data.single_sign_on_required ? (
          <AcceptAtProvider invitation={invitation} opened={data} />
        ) : (
          <Accept invitation={invitation} opened={data} />
        ))}
      {error && (
        <Card withBorder p="lg" role="alert">
          <Text>{error.message}</Text>
          {error instanceof ApiError && error.code === 'invitation_used' && (
            <Note mt="xs">If it was you, sign in.</Note>
          )}
          <Button component="a" href="/" variant="default" mt="md">
            Go to Runcost
          </Button>
        </Card>
      )}
    </Outside>
  );
}

/** Tokens and the command line can invite too; their names are ids. */
function inviterOf(name: string): string {
  return /^(?:cli|token .*|session of cli)$/.test(name) ? 'An admin' : name;
}

type Opened = {
  organization: string;
  organization_id: string;
  email: string | null;
  suggested_email: string | null;
  is_member: boolean;
  expires_at: string;
};

/** The organization requires single sign-on, so signing in there accepts the invitation. */
function AcceptAtProvider({ invitation, opened }: { invitation: string; opened: Opened }) {
  const options = useQuery(signInOptionsQuery(opened.organization_id));
  const start = useMutation({
    mutationFn: async (provider: string) => {
      const body = { invitation, provider };
      const { data } = await sessionApi.POST('/api/v1/invitation/sign-in', { body });
      return data!.data.address;
    },
    onSuccess: (address) => location.assign(address),
  });
  const address = opened.email ?? opened.suggested_email;
  return (
    <Card withBorder p="lg" shadow="sm">
      <Stack>
        <Text size="sm">
          {opened.organization} requires single sign-on. Sign in{address ? ` as ${address}` : ''} to accept.
        </Text>
        {options.data?.providers.map(({ id, name }) => (
          <Button key={id} onClick={() => start.mutate(id)} loading={start.isPending || start.isSuccess}>
            Continue with {name}
          </Button>
        ))}
        <FormError error={start.error ?? options.error} fields={[]} />
        <Expiry at={opened.expires_at} />
      </Stack>
    </Card>
  );
}

function Accept({ invitation, opened }: { invitation: string; opened: Opened }) {
  const { email: proven, suggested_email: suggested, is_member: isMember } = opened;
  return (
    <Card withBorder p="lg" shadow="sm">
      <StepForm
        label={isMember ? 'Sign in' : 'Accept invitation'}
        isWide
        initial={{ email: proven ?? suggested ?? '', name: '' }}
        fields={[
          {
            name: 'email',
            label: 'Email',
            type: 'email',
            required: true,
            maxLength: 254,
            readOnly: proven !== null || suggested !== null,
          },
          isMember ? (
            <Text size="sm">You are already a member of {opened.organization}. Accept to sign in.</Text>
          ) : (
            { name: 'name', label: 'Name (optional)', maxLength: 255, autoComplete: 'name' }
          ),
        ]}
        act={({ email, name }) => {
          const given = proven === null ? { email } : {};
          const body = { invitation, ...given, name: name || null };
          return sessionApi.POST('/api/v1/invitation/accept', { body });
        }}
        // Reloads the page, so that nothing of an earlier session stays.
        onDone={() => location.replace('/')}
      >
        <Expiry at={opened.expires_at} />
      </StepForm>
    </Card>
  );
}

const Expiry = ({ at }: { at: string }) => (
  <Note size="xs" ta="center">
    The link works once. It expires <When at={at} />.
  </Note>
);
