import { Anchor, Button, Card, Center, Code, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useSignIn } from '../../api/session.ts';
import { Mark } from '../../layout/Logo.tsx';
import { forgetVisits } from '../../ui/visits.ts';

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

  useEffect(forgetVisits, []);

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
      <Stack component="main" w="100%" maw={420} gap="lg">
        <Stack gap={4} align="center" ta="center">
          <Mark size={44} />
          <Title order={1} size="h2" mt="sm">
            Sign in to Runcost
          </Title>
          <Text c="dimmed">Know what CI/CD costs, before the bill arrives.</Text>
        </Stack>
        <Card withBorder p="lg">
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void enter({ token: token.trim() });
            }}
          >
            <Stack>
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
            </Stack>
          </form>
        </Card>
        <Text size="sm" c="dimmed" ta="center" px="md">
          No token? On the server, run <Code>npm run -s runcost -- sign-in</Code> with the server’s{' '}
          <Code>DATA_DIR</Code> and <Code>PORT</Code>. It prints a link that signs you in once.{' '}
          <Anchor href="/docs" underline="always">
            API documentation
          </Anchor>
        </Text>
      </Stack>
    </Center>
  );
}
