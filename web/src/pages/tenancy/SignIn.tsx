import { Anchor, Button, Card, Center, Code, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useSignIn } from '../../api/session.ts';

/** The code is after the #, which browsers do not send to the server. */
function codeInAddress(): string | null {
  return new URLSearchParams(window.location.hash.slice(1)).get('code');
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
      const { pathname, search } = window.location;
      navigate(pathname === '/sign-in' ? '/' : pathname + search, { replace: true });
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setIsBusy(false);
    }
  }

  useEffect(() => {
    document.title = 'Sign in · Runcost';
    const code = codeInAddress();
    if (!code || usedCode.current === code) return;
    usedCode.current = code;
    window.history.replaceState(null, '', window.location.pathname + window.location.search);
    void enter({ code });
  });

  return (
    <Center mih="100vh" p="md">
      <Card withBorder w="100%" maw={420} p="xl" component="main">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void enter({ token: token.trim() });
          }}
        >
          <Stack>
            <Title order={1} size="h2">
              Sign in to Runcost
            </Title>
            <PasswordInput
              label="Token"
              description="Printed at the first start, or created for you by an admin."
              value={token}
              onChange={(event) => setToken(event.currentTarget.value)}
              error={problem}
              autoComplete="current-password"
              required
              data-autofocus
            />
            <Button type="submit" loading={isBusy}>
              Sign in
            </Button>
            <Text size="sm" c="dimmed">
              No token? On the server, run <Code>npm run -s runcost -- sign-in</Code> with the server’s{' '}
              <Code>DATA_DIR</Code> and <Code>PORT</Code>. It prints a link that signs you in once.{' '}
              <Anchor href="/docs">API documentation</Anchor>
            </Text>
          </Stack>
        </form>
      </Card>
    </Center>
  );
}
