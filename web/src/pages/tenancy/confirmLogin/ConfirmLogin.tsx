import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { api } from '../../../api/client.ts';
import { type Answer, dataQuery } from '../../../api/query.ts';
import { useOrganization, useSession } from '../../../api/session.ts';
import { FormError } from '../../../ui/FormError.tsx';
import { isNotFound, Loaded } from '../../../ui/Loaded.tsx';
import { Lost } from '../../../ui/Lost.tsx';
import { DescriptionList, PageTitle, Panel } from '../../../ui/Panel.tsx';
import { When } from '../../../ui/text.tsx';
import { useChange } from '../../../ui/useChange.ts';

type Login = Answer<'/api/v1/logins/{code}'>;

/** Asks whether a command line may have a token. `runcost login` prints the address of this page, with its code. */
export function Page() {
  const [search] = useSearchParams();
  const code = search.get('code') ?? '';
  const params = { path: { code } };
  const opened = useQuery({
    ...dataQuery('/api/v1/logins/{code}', params),
    enabled: code !== '',
    // The login ends when the program gets its token.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const decide = useChange({
    act: async (isApproved: boolean) => {
      const { data } = isApproved
        ? await api.POST('/api/v1/logins/{code}/approve', { params })
        : await api.POST('/api/v1/logins/{code}/deny', { params });
      return data!.data;
    },
    isErrorShown: true,
  });
  if (code === '' || isNotFound(opened.error) || isNotFound(decide.error)) return <Ended />;
  return (
    <>
      <PageTitle title="Confirm a login" about="A command line asks for access to Runcost." />
      <Loaded query={opened}>
        {(found) => {
          const login = decide.data ?? found;
          if (login.status !== 'waiting') return <Decided login={login} />;
          return (
            <Panel title={`${login.name} wants to log in`} isNarrow>
              <Question login={login} />
              <FormError error={decide.error} fields={[]} />
              <Group gap="xs">
                <Button onClick={() => decide.mutate(true)} loading={decide.isPending && decide.variables}>
                  Confirm
                </Button>
                <Button
                  variant="default"
                  onClick={() => decide.mutate(false)}
                  loading={decide.isPending && !decide.variables}
                >
                  Refuse
                </Button>
              </Group>
            </Panel>
          );
        }}
      </Loaded>
    </>
  );
}

function Question({ login }: { login: Login }) {
  const { name: organization } = useOrganization();
  const { data: session } = useSession();
  return (
    <>
      <Stack gap={4} align="flex-start">
        <Text size="sm">Your terminal must show the same code:</Text>
        <Code fz={24} fw={600} px="sm" py={4}>
          {login.code}
        </Code>
      </Stack>
      <DescriptionList
        items={[
          ['From', login.address],
          ['Started', <When at={login.created_at} />],
          ['Access', `${organization}, as ${session?.role ?? 'viewer'}`],
        ]}
      />
      <Text size="sm">
        Confirm only if you have just run <Code>runcost login</Code> yourself. The terminal can then do what
        you can do in {organization}, for 90 days. Admins can revoke its token in Settings, Tokens.
      </Text>
    </>
  );
}

function Decided({ login: { name, status } }: { login: Login }) {
  const isApproved = status === 'approved';
  return (
    <Alert
      variant="outline"
      color={isApproved ? 'green' : 'gray'}
      role="status"
      maw={720}
      title={isApproved ? `${name} is logged in` : `${name} gets no access`}
    >
      {isApproved ? 'Return to your terminal.' : 'You refused its login. You can close this page.'}
    </Alert>
  );
}

function Ended() {
  return (
    <Lost
      title="No login is waiting"
      text={
        <>
          The code is wrong, was used, or is older than 15 minutes. Run <Code>runcost login</Code> again and
          open the address that it prints.
        </>
      }
      actions={
        <Button component={Link} href="/">
          Go to the overview
        </Button>
      }
    />
  );
}
