import { Alert, Anchor, Button, Card, Code, Divider, PasswordInput, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiError } from '../../api/client.ts';
import { useHasEnded, useSignIn } from '../../api/session.ts';
import { PlainForm } from '../../ui/PlainForm.tsx';
import { Note } from '../../ui/text.tsx';
import '../../ui/commandFold.css';
import { clearVisits } from '../../ui/visits.ts';
import './signIn.css';
import { Outside, ProviderButtons, signInOptionsQuery } from './ProviderButtons.tsx';

/** The code is after the #, which browsers do not send to the server. */
function codeInAddress(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get('code');
}

/** The server's limit. */
const maxTokenLength = 512;
/** The format of the server's tokens. */
const tokenShape = /^runcost_[0-9a-f]{32}_\w+_[\w-]+$/;

/** Why a text cannot be a token; null if it can. */
function faultOf(text: string): string | null {
  if (text.length <= maxTokenLength && tokenShape.test(text)) return null;
  return text.includes('runcost_code_')
    ? 'This is a sign-in link. Open it as an address.'
    : 'This is not a token. A token starts with runcost_ and has about 100 characters.';
}

/** Shortens the server's message, because the page already says where tokens come from. */
function problemOf(error: Error): string {
  const isUnknown = error instanceof ApiError && error.code === 'invalid_token';
  return isUnknown ? 'This token is unknown, revoked or expired.' : error.message;
}

export function Page() {
  const signIn = useSignIn();
  const [, navigate] = useLocation();
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const usedCode = useRef<string | null>(null);
  const org = new URLSearchParams(location.search).get('org');
  const { data: options, isFetched, refetch } = useQuery(signInOptionsQuery(org));
  const hasEnded = useHasEnded();

  async function enter(secret: Parameters<typeof signIn>[0]) {
    setIsBusy(true);
    setProblem(null);
    try {
      await signIn(secret);
      const { pathname, search } = location;
      navigate(pathname === '/sign-in' ? '/' : pathname + search, { replace: true });
    } catch (error) {
      setProblem(problemOf(error as Error));
    } finally {
      setIsBusy(false);
    }
  }

  useEffect(clearVisits, []);

  useEffect(() => {
    const code = codeInAddress();
    if (!code || usedCode.current === code) return;
    usedCode.current = code;
    window.history.replaceState(null, '', location.pathname + location.search);
    void enter({ code });
  });

  return (
    <Outside
      tabTitle="Sign in"
      title="Sign in to Runcost"
      about="See what every CI job costs, and hear about it before the bill arrives."
      isHigh
    >
      {hasEnded && (
        <Alert variant="outline" color="orange" p="xs" role="status">
          Your session ended. Sign in to continue.
        </Alert>
      )}
      <Card withBorder p="lg" shadow="sm">
        {options?.single_sign_on_required ? (
          <ProviderButtons />
        ) : (
          <TokenForm problem={problem} isBusy={isBusy} onEnter={(token) => void enter({ token })} />
        )}
        <div className="sign-in-help">
          <NoToken commandLine={options?.command_line ?? 'runcost'} />
        </div>
      </Card>
      {/* Below the form, so that nothing moves when the server answers. */}
      {options && !options.single_sign_on_required && options.providers.length > 0 && (
        <>
          <Divider label="or" />
          <ProviderButtons />
        </>
      )}
      {isFetched && !options && <OptionsFailed onRetry={() => void refetch()} />}
    </Outside>
  );
}

function OptionsFailed({ onRetry }: { onRetry: () => void }) {
  return (
    <Note>
      Other ways to sign in failed to load.{' '}
      <Anchor component="button" type="button" inherit onClick={onRetry}>
        Try again
      </Anchor>
    </Note>
  );
}

type FormProps = { problem: string | null; isBusy: boolean; onEnter: (token: string) => void };

function TokenForm({ problem, isBusy, onEnter }: FormProps) {
  const [token, setToken] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const error = fault ?? problem;
  return (
    <PlainForm
      onSubmit={() => {
        const found = faultOf(token.trim());
        setFault(found);
        if (found === null) onEnter(token.trim());
      }}
    >
      <Stack>
        <PasswordInput
          label="Token"
          placeholder="runcost_…"
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
          // Description and error share one place, so that an error moves nothing.
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          description={
            error === null &&
            'It starts with runcost_. Ask an admin of your organization for one: Settings, Tokens.'
          }
          error={error}
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus
        />
        <Button type="submit" loading={isBusy} fullWidth>
          Sign in
        </Button>
      </Stack>
    </PlainForm>
  );
}

function NoToken({ commandLine }: { commandLine: string }) {
  return (
    <details className="command-fold">
      <summary>No token, or a link that no longer works?</summary>
      <Text size="sm" c="dimmed" component="div" mt="xs">
        With access to the server, print a link that signs you in once, within 15 minutes:
        <Code block mt={6}>
          {commandLine} sign-in
        </Code>
        <Note size="xs" mt={4}>
          Give it the server’s <Code>DATA_DIR</Code> and <Code>PORT</Code> if the command lacks them.{' '}
          <Anchor href="/docs" underline="always" size="xs">
            API documentation
          </Anchor>
        </Note>
      </Text>
    </details>
  );
}
