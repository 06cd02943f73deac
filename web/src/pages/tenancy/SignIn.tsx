import { Anchor, Button, Card, Center, Code, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useSignIn } from '../../api/session.ts';

/** Codes and tokens stand behind the #, which browsers send to no server. */
function codeInAddress(): string | null {
  return new URLSearchParams(window.location.hash.slice(1)).get('code');
}

export function Page() {
  const signIn = useSignIn();
  const [, navigate] = useLocation();
  const [token, setToken] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const usedCode = useRef<string | null>(null);

  async function enter(secret: Parameters<typeof signIn>[0]) {
    setIsBusy(true);
    setFault(null);
    try {
      await signIn(secret);
      const { pathname, search } = window.location;
      navigate(pathname === '/sign-in' ? '/' : pathname + search, { replace: true });
    } catch (error) {
      setFault((error as Error).message);
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
              description="As the first start has shown it, or one that an admin has made for you."
              value={token}
              onChange={(event) => setToken(event.currentTarget.value)}
              error={fault}
              autoComplete="current-password"
              required
              data-autofocus
            />
            <Button type="submit" loading={isBusy}>
              Sign in
            </Button>
            <Text size="sm" c="dimmed">
              No token at hand? On the server, with its <Code>DATA_DIR</Code> and <Code>PORT</Code>,{' '}
              <Code>npm run -s runcost -- sign-in</Code> prints a link that signs you in once.{' '}
              <Anchor href="/docs">API documentation</Anchor>
            </Text>
          </Stack>
        </form>
      </Card>
    </Center>
  );
}
