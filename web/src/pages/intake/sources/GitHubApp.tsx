import { Button, Group, Loader, Radio, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { api } from '../../../api/client.ts';
import { sourcesKey, sourcesQuery } from '../../../api/queries.ts';
import { useOrganization, usePublicUrl } from '../../../api/session.ts';
import { credentialsQuery } from '../../../parts/sources/SourceCredentials.tsx';
import { StepForm } from '../../../ui/Form.tsx';
import { FormError } from '../../../ui/FormError.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Needs } from '../../../ui/Needs.tsx';
import { PageTitle, Panel } from '../../../ui/Panel.tsx';
import { InText, When } from '../../../ui/text.tsx';
import { useChange } from '../../../ui/useChange.ts';

/** GitHub redirects here twice: with a code for the new App, and with its installation. */
export function Page() {
  const [params] = useSearchParams();
  const [code, state] = [params.get('code'), params.get('state')];
  const [source, installation] = [params.get('source'), params.get('installation_id')];
  return (
    <>
      <PageTitle
        title="Connect GitHub"
        about="Your own GitHub App reports each job as it happens."
        back={{ href: '/sources', label: 'Sources' }}
      />
      <Needs role="admin" scope="admin">
        {code && state ? (
          <Create code={code} state={state} />
        ) : source && installation ? (
          <Install source={source} installation={installation} />
        ) : source ? (
          <Connected sourceId={source} />
        ) : (
          <Start />
        )}
      </Needs>
    </>
  );
}

type Started = { form_url: string; manifest: string };

function Start() {
  const { login: known } = useOrganization();
  const { isPublic } = usePublicUrl();
  const [started, setStarted] = useState<Started | null>(null);
  return (
    <Panel title="Create the App" isNarrow>
      <StepForm
        label="Create the App at GitHub"
        maw={560}
        initial={{
          owner: 'organization',
          organization: known?.startsWith('runcost--') ? '' : (known ?? ''),
          is_reachable: isPublic,
          may_comment: false,
          may_open_fixes: false,
        }}
        fields={({ values, change }) => [
          <Text size="sm">
            GitHub asks you to confirm twice: to create the App, and to choose the repositories that it may
            read.{' '}
            {values.may_open_fixes
              ? 'Besides runs and the names of repositories, it can read and write files and pull requests.'
              : values.may_comment
                ? 'Besides runs and the names of repositories, it can read files, and read and write pull requests and checks.'
                : 'It reads runs, pull requests and the names of repositories only, and writes nothing.'}
          </Text>,
          <Radio.Group
            label="Who owns the App at GitHub?"
            value={values.owner}
            onChange={(owner) => change({ owner })}
          >
            <Group gap="lg" mt="xs">
              <Radio value="organization" label="An organization" />
              <Radio value="person" label="My own account" />
            </Group>
          </Radio.Group>,
          values.owner === 'organization' && {
            name: 'organization',
            label: 'Organization at GitHub',
            description: 'As in github.com/acme. You must be an owner of it.',
            placeholder: 'acme',
            required: true,
            maxLength: 100,
          },
          <Arrival
            isReachable={values.is_reachable}
            onChange={(isReachable) => change({ is_reachable: isReachable })}
          />,
          {
            name: 'may_comment',
            kind: 'check',
            label: 'Allow comments on pull requests',
            description:
              'Asks for the rights to write pull requests and checks, and to read files. Then turn comments on in Settings, Notifications, Pull requests.',
          },
          {
            name: 'may_open_fixes',
            kind: 'check',
            label: 'Allow pull requests with fixes',
            description:
              'Asks for the rights to write files, workflows and pull requests. Then turn them on in Settings, Notifications, Pull requests.',
          },
        ]}
        act={async ({ owner, organization, ...rights }) => {
          const body = { ...rights, organization: owner === 'organization' ? organization : null };
          return (await api.POST('/api/v1/github-apps', { body })).data!.data;
        }}
        onDone={setStarted}
      />
      {started && <ToGitHub {...started} />}
    </Panel>
  );
}

function Arrival({
  isReachable,
  onChange,
}: {
  isReachable: boolean;
  onChange: (isReachable: boolean) => void;
}) {
  return (
    <Radio.Group
      label="How do runs arrive?"
      value={isReachable ? 'webhook' : 'polls'}
      onChange={(way) => onChange(way === 'webhook')}
    >
      <Stack gap="xs" mt="xs">
        <Radio value="webhook" label="GitHub sends them at once, and can reach this server" />
        <Radio value="polls" label="Runcost asks GitHub every 10 minutes, without a public address" />
      </Stack>
    </Radio.Group>
  );
}

/** GitHub accepts the manifest only as a form that a browser posts. */
function ToGitHub({ form_url: address, manifest }: Started) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.submit(), []);
  return (
    <form ref={form} method="post" action={address}>
      <input type="hidden" name="manifest" value={manifest} />
    </form>
  );
}

function Create({ code, state }: { code: string; state: string }) {
  const create = useOnce(async () => {
    const { data } = await api.POST('/api/v1/github-apps/create', { body: { code, state } });
    location.assign(data!.data.install_url);
  });
  return (
    <Step
      title="Install the App"
      error={create.error}
      text="The App exists. GitHub now asks which repositories it may read …"
    />
  );
}

function Install({ source, installation }: { source: string; installation: string }) {
  const [, navigate] = useLocation();
  const install = useOnce(async () => {
    await api.POST('/api/v1/github-apps/{id}/install', {
      params: { path: { id: source } },
      body: { installation_id: installation },
    });
    navigate(`/sources/github-app?source=${source}`, { replace: true });
  });
  return (
    <Step
      title="Check the installation"
      error={install.error}
      text="We ask GitHub which repositories the App may read, and start to read their last 30 days …"
    />
  );
}

/** A code works once, and React runs effects twice in development. */
function useOnce(act: () => Promise<void>) {
  const isSent = useRef(false);
  const change = useChange({ act, refresh: [sourcesKey], isErrorShown: true });
  const { mutate } = change;
  useEffect(() => {
    if (isSent.current) return;
    isSent.current = true;
    mutate(undefined);
  }, [mutate]);
  return change;
}

function Step({ title, text, error }: { title: string; text: string; error: Error | null }) {
  return (
    <Panel title={title} isNarrow>
      {error ? (
        <Stack align="flex-start">
          <FormError error={error} fields={[]} />
          <Button component={Link} href="/sources/github-app" variant="default">
            Start again
          </Button>
        </Stack>
      ) : (
        <Group gap="sm" role="status">
          <Loader size="sm" aria-hidden />
          <Text size="sm">{text}</Text>
        </Group>
      )}
    </Panel>
  );
}

const waitingMilliseconds = 4_000;

function Connected({ sourceId }: { sourceId: string }) {
  const credentials = useQuery(credentialsQuery(sourceId));
  return (
    <Panel title="Connected" isNarrow>
      <Loaded query={credentials} height={160}>
        {(set) => (
          <Stack align="flex-start" maw={640}>
            <Text size="sm">
              Runs of the last 30 days are being read, of up to 100 repositories that were pushed to last (
              <InText href="/history">History</InText>
              ). Their costs appear as they come in.
            </Text>
            {set?.is_polled ? (
              <Text size="sm">
                GitHub cannot reach this server, so Runcost asks it for new runs every 10 minutes.
              </Text>
            ) : (
              <Events sourceId={sourceId} />
            )}
            <Button component={Link} href="/">
              See the costs
            </Button>
          </Stack>
        )}
      </Loaded>
    </Panel>
  );
}

function Events({ sourceId }: { sourceId: string }) {
  const sources = useQuery({ ...sourcesQuery, refetchInterval: waitingMilliseconds });
  const at = sources.data?.find(({ id }) => id === sourceId)?.last_event_at ?? null;
  if (at !== null) {
    return (
      <Text size="sm" role="status">
        First event received <When at={at} />: new jobs arrive as they happen.
      </Text>
    );
  }
  return (
    <Group gap="sm" role="status">
      <Loader size="sm" aria-hidden />
      <Text size="sm">Waiting for the first event. It comes with the next run of any workflow.</Text>
    </Group>
  );
}
