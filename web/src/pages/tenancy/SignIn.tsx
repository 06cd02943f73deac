import { Anchor, Button, Card, Center, Code, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useSignIn } from '../../api/session.ts';
import { Mark } from '../../layout/Logo.tsx';
import { forgetVisits } from '../../ui/visits.ts';
import '../../ui/commandFold.css';
import { ProviderButtons, signInOptionsQuery } from './ProviderButtons.tsx';

/** The code is after the #, which browsers do not send to the server. */
function codeInAddress(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get('code');
}

export function Page() {
  const signIn = useSignIn();
  const [, navigate] = useLocation();
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const usedCode = useRef<string | null>(null);

  async function enter(secret: Parameters<typeof signIn>[0]) {
    setIsBusy(true);
    setProblem(null);
    try {
      await signIn(secret);
      const { pathname, search } = location;
      navigate(pathname === '/sign-in' ? '/' : pathname + search, { replace: true });
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setIsBusy(false);
    }
  }

  useEffect(forgetVisits, []);

  useEffect(() => {
    document.title = 'Sign in · Runcost';
    const code = codeInAddress();
    if (!code || usedCode.current === code) return;
    usedCode.current = code;
    window.history.replaceState(null, '', location.pathname + location.search);
    void enter({ code });
  });

  return (
    <Center mih="100vh" p="md" className="sign-in">
      <Stack component="main" w="100%" maw={400} gap="xl">
        <Stack gap={6} align="center" ta="center">
          <Mark size={48} />
          <Title order={1} size="h2" mt="sm">
            Sign in to Runcost
          </Title>
          <Text c="dimmed" style={{ textWrap: 'balance' }}>
            See what every CI job costs, and hear about it before the bill arrives.
          </Text>
        </Stack>
        <ProviderButtons />
        <Card withBorder p="lg" shadow="sm">
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void enter({ token: token.trim() });
            }}
          >
            <Stack>
              <PasswordInput
                label="Token"
                placeholder="runcost_…"
                value={token}
                onChange={(event) => setToken(event.currentTarget.value)}
                error={problem}
                autoComplete="current-password"
                inputWrapperOrder={['label', 'input', 'description', 'error']}
                required
                withAsterisk={false}
                data-autofocus
              />
              <Button type="submit" loading={isBusy} fullWidth>
                Sign in
              </Button>
            </Stack>
          </form>
        </Card>
        <NoToken />
      </Stack>
    </Center>
  );
}

function NoToken() {
  const org = new URLSearchParams(location.search).get('org');
  const { data } = useQuery(signInOptionsQuery(org));
  return (
    <Stack gap="sm" component="section" aria-label="No token?">
      <Title order={2} size="sm">
        No token, or a link that no longer works?
      </Title>
      <Text size="sm" c="dimmed">
        Ask an admin of your organization for a token: Settings, Tokens.
      </Text>
      <details className="command-fold">
        <summary>With access to the server</summary>
        <Text size="sm" c="dimmed" component="div" mt="xs">
          This prints a link that signs you in once, within 15 minutes:
          <Code block mt={6}>
            {data?.command_line ?? 'runcost'} sign-in
          </Code>
          <Text size="xs" mt={4} c="dimmed">
            Run it on the server, with its <Code>DATA_DIR</Code> and <Code>PORT</Code> if the command lacks
            them.{' '}
            <Anchor href="/docs" underline="always" size="xs">
              API documentation
            </Anchor>
          </Text>
        </Text>
      </details>
    </Stack>
  );
}
