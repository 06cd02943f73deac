import { Alert, Button, Code, Group, List, Progress, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../../../api/client.ts';
import { sourcesKey, sourcesQuery, sourceKindsQuery } from '../../../api/queries.ts';
import { useOrganizationId } from '../../../api/session.ts';
import { countOf } from '../../../ui/figures.ts';
import { StepForm } from '../../../ui/Form.tsx';
import { FormError } from '../../../ui/FormError.tsx';
import { Needs } from '../../../ui/Needs.tsx';
import { PageTitle, Panel } from '../../../ui/Panel.tsx';
import { PlainForm } from '../../../ui/PlainForm.tsx';
import { OutsideLink, StatusBadge } from '../../../ui/text.tsx';
import { errorOf, useChange } from '../../../ui/useChange.ts';
import { FirstEvent } from './FirstEvent.tsx';
import { recentRunsQuery } from './queries.ts';
import { ReachNote } from './ReachNote.tsx';

type Access = { address: string; token: string };
type Places = NonNullable<Awaited<ReturnType<typeof findPlaces>>>;
type Connection = NonNullable<Awaited<ReturnType<typeof connectOnce>>>;
type Connected = Connection & { path: string; knownRuns: ReadonlySet<string> };

const findPlaces = async (access: Access) =>
  (await api.POST('/api/v1/gitlab-webhooks/find', { body: access })).data?.data;

const connectOnce = async (body: Access & { path: string; page: number; source_id: string | null }) =>
  (await api.POST('/api/v1/gitlab-webhooks', { body })).data?.data;

export function Page() {
  const [found, setFound] = useState<{ access: Access; places: Places } | null>(null);
  const [connected, setConnected] = useState<Connected | null>(null);
  return (
    <>
      <PageTitle
        title="Connect GitLab"
        about="A webhook on your group or project reports each job as it happens."
        back={{ href: '/sources', label: 'Sources' }}
      />
      <Needs role="admin" scope="admin">
        {connected ? (
          <Done connected={connected} />
        ) : found ? (
          <Choose {...found} onBack={() => setFound(null)} onConnected={setConnected} />
        ) : (
          <Start onFound={(access, places) => setFound({ access, places })} />
        )}
      </Needs>
    </>
  );
}

function Start({ onFound }: { onFound: (access: Access, places: Places) => void }) {
  return (
    <Panel title="Paste a token" isNarrow>
      <StepForm
        label="Find groups and projects"
        maw={620}
        initial={{ address: 'https://gitlab.com', token: '' }}
        fields={({ values: { address } }) => [
          <Text size="sm">
            With a token, Runcost adds the webhook for you. It uses the token once and doesn’t store it.
            Delete it at GitLab afterwards.
          </Text>,
          <TokenSteps tokenPage={tokenPageAt(address.trim())} />,
          {
            name: 'address',
            label: 'Address of GitLab',
            description: 'Your own server, or GitLab.com.',
            required: true,
            withAsterisk: false,
            maxLength: 500,
          },
          {
            name: 'token',
            kind: 'secret',
            label: 'Access token',
            required: true,
            withAsterisk: false,
            maxLength: 1_000,
          },
          <ReachNote
            {...(/^https?:\/\/gitlab\.com\/?$/i.test(address.trim())
              ? { sender: 'GitLab.com' }
              : { sender: 'your GitLab', isOwn: true })}
          />,
        ]}
        act={async (access) => ({ access, places: await findPlaces(access) })}
        onDone={({ access, places }) => places && onFound(access, places)}
      />
    </Panel>
  );
}

function TokenSteps({ tokenPage }: { tokenPage: string | null }) {
  return (
    <List type="ordered" size="sm" spacing={6}>
      <List.Item>
        {tokenPage === null ? (
          'Create a personal access token at GitLab'
        ) : (
          <OutsideLink href={tokenPage}>
            Create a personal access token at {new URL(tokenPage).host}
          </OutsideLink>
        )}
        , or one in the settings of your group or project.
      </List.Item>
      <List.Item>
        Scope <Code>api</Code>. It can expire tomorrow.
      </List.Item>
      <List.Item>
        Role <b>Owner</b> of the group, or <b>Maintainer</b> of the project.
      </List.Item>
    </List>
  );
}

/** GitLab's page for new tokens, with its form filled in. Null while no valid address is typed. */
function tokenPageAt(address: string): string | null {
  if (!/^https?:/.test(address) || !URL.canParse(address)) return null;
  return `${address.replace(/\/+$/, '')}/-/user_settings/personal_access_tokens?name=Runcost&scopes=api`;
}

type ChooseProps = {
  access: Access;
  places: Places;
  onBack: () => void;
  onConnected: (connected: Connected) => void;
};

/** A group with more projects is named by its path. */
const maxShown = 12;

function Choose({ access, places, onBack, onConnected }: ChooseProps) {
  const { groups, projects, is_cut: isCut } = places;
  const all = [...groups, ...projects];
  const [path, setPath] = useState(all[0] ?? '');
  const [progress, setProgress] = useState<Connection | null>(null);
  const orgId = useOrganizationId();
  const queryClient = useQueryClient();
  const connect = useChange({
    act: async () => {
      const runs = await queryClient.query({ ...recentRunsQuery(orgId), staleTime: 0 }).catch(() => []);
      let whole: Connection | null = null;
      for (let page: number | null = 1; page !== null;) {
        const body = { ...access, path: path.trim(), page, source_id: whole?.source_id ?? null };
        const next: Connection = (await connectOnce(body))!;
        whole = joined(whole, next);
        setProgress(whole);
        page = next.next_page;
      }
      return { ...whole!, path: path.trim(), knownRuns: new Set(runs.map(({ id }) => id)) };
    },
    refresh: [sourcesKey],
    isErrorShown: true,
  });
  const fields = ['path', 'token', 'address'];
  const wrong = fields.map((field) => errorOf(connect.error, field)).find((error) => error !== null);
  return (
    <Panel title="Choose a group or project" isNarrow>
      <PlainForm
        onSubmit={() => {
          connect.mutate(undefined, { onSuccess: onConnected });
        }}
      >
        <Stack maw={620}>
          <Text size="sm">
            {all.length === 0
              ? 'The token is not a Maintainer of any group or project. Give it the role, or enter the path of one.'
              : `The token reaches ${listOf([
                  [groups.length, 'group'],
                  [projects.length, 'project'],
                ])}${isCut ? ', and maybe more' : ''}. A group includes its subgroups and all their projects.`}
          </Text>
          <PathChoice places={places} path={path} error={wrong} onChange={setPath} />
          {progress && connect.isPending && <SoFar connection={progress} />}
          <FormError error={connect.error} fields={fields} />
          <Group>
            <Button variant="default" onClick={onBack} disabled={connect.isPending}>
              Back
            </Button>
            <Button type="submit" loading={connect.isPending}>
              Add the webhook
            </Button>
          </Group>
        </Stack>
      </PlainForm>
    </Panel>
  );
}

type PathProps = {
  places: Places;
  path: string;
  error: string | null | undefined;
  onChange: (path: string) => void;
};

function PathChoice({ places, path, error, onChange }: PathProps) {
  const { groups, projects, is_cut: isCut } = places;
  const all = [...groups, ...projects];
  return (
    <>
      {all.length > 0 && all.length <= maxShown && !isCut ? (
        <Radio.Group label="Connect" value={path} onChange={onChange} error={error}>
          <Stack gap="xs" mt="xs">
            {all.map((each) => (
              <Radio
                key={each}
                value={each}
                label={each}
                description={groups.includes(each) ? 'group' : 'project'}
              />
            ))}
          </Stack>
        </Radio.Group>
      ) : (
        <TextInput
          label="Path"
          description="As in gitlab.com/acme/api: acme for the group, acme/api for one project."
          required
          list="gitlab-places"
          value={path}
          onChange={(event) => onChange(event.currentTarget.value)}
          error={error}
        />
      )}
      <datalist id="gitlab-places">
        {all.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  );
}

function listOf(counts: [count: number, thing: string][]): string {
  return counts
    .filter(([count]) => count > 0)
    .map(([count, thing]) => countOf(count, thing))
    .join(' and ');
}

function joined(whole: Connection | null, next: Connection): Connection {
  if (!whole) return next;
  return {
    ...whole,
    source_id: whole.source_id ?? next.source_id,
    test_event: whole.test_event ?? next.test_event,
    webhooks: [...whole.webhooks, ...next.webhooks],
  };
}

function SoFar({ connection: { webhooks, projects } }: { connection: Connection }) {
  const done = webhooks.length;
  return (
    <Stack gap={4} role="status">
      <Text size="sm">
        GitLab has no group webhooks on this plan, so each project gets one: {done}
        {projects === null ? '' : ` of ${projects}`} so far …
      </Text>
      {projects !== null && <Progress value={(100 * done) / projects} aria-label="Projects with a webhook" />}
    </Stack>
  );
}

function Done({ connected }: { connected: Connected }) {
  const [, navigate] = useLocation();
  const kinds = useQuery(sourceKindsQuery);
  const sources = useQuery(sourcesQuery);
  const kind = kinds.data?.find((one) => one.kind === 'gitlab');
  const source = sources.data?.find(({ id }) => id === connected.source_id);
  return (
    <Panel title={`Webhooks for ${connected.path}`}>
      <Stack maw={760}>
        <Added connected={connected} />
        <TestEvent event={connected.test_event} />
        {kind && source && (
          <FirstEvent
            kind={kind}
            source={source}
            knownRuns={connected.knownRuns}
            onDone={() => navigate('/sources')}
          />
        )}
      </Stack>
    </Panel>
  );
}

function Added({ connected: { scope, webhooks, path } }: { connected: Connected }) {
  const failed = webhooks.filter(({ result }) => result === 'failed');
  if (scope !== 'projects_of_group') {
    const isNew = webhooks[0]?.result === 'added';
    return (
      <Text size="sm">
        {isNew ? 'GitLab has a new webhook' : 'The webhook that was there is up to date'} for the {scope}{' '}
        {path}.
      </Text>
    );
  }
  return (
    <>
      <Text size="sm">
        GitLab has no group webhooks on this plan, so each project has one:{' '}
        {countOf(webhooks.length - failed.length, 'webhook')}. Connect GitLab again after you create projects.
      </Text>
      {failed.length > 0 && (
        <Alert
          color="yellow"
          variant="outline"
          p="xs"
          title={`${countOf(failed.length, 'project')} without a webhook`}
        >
          {failed[0]!.error}
        </Alert>
      )}
      <List size="sm" mah={240} style={{ overflowY: 'auto' }} tabIndex={0} aria-label="Projects">
        {webhooks.map((each) => (
          <List.Item key={each.path}>
            <Group gap="xs" wrap="nowrap">
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {each.path}
              </Text>
              <StatusBadge status={each.result} />
            </Group>
          </List.Item>
        ))}
      </List>
    </>
  );
}

function TestEvent({ event }: { event: Connection['test_event'] }) {
  if (event === null) return null;
  if (event.result === 'sent')
    return <Text size="sm">GitLab sent its last pipeline as a test, and this server answered it.</Text>;
  if (event.result === 'not_offered')
    return <Text size="sm">This GitLab sends no test events. The next pipeline is the first event.</Text>;
  return (
    <Alert color="yellow" variant="outline" p="xs" title="GitLab sent no test event">
      {event.reason} The next pipeline is the first event.
    </Alert>
  );
}
