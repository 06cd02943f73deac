import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import {
  IconBrandGithub,
  IconBrandGitlab,
  IconCircleDot,
  IconPipeline,
  IconTelescope,
  IconTerminal2,
  IconTrash,
  IconWebhook,
  type Icon,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { api } from '../../../api/client.ts';
import { useOrganizationId, useSession } from '../../../api/session.ts';
import { useNow } from '../../../ui/browserFacts.ts';
import type { Column } from '../../../ui/columns.ts';
import { Confirm } from '../../../ui/Confirm.tsx';
import { CopyField } from '../../../ui/CopyField.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Empty } from '../../../ui/Empty.tsx';
import { countOf } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Needs } from '../../../ui/Needs.tsx';
import { PageTitle } from '../../../ui/PageTitle.tsx';
import { ResourcePanel } from '../../../ui/ResourcePanel.tsx';
import { AllowedButton, RightsNote, useWhyNot } from '../../../ui/rights.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { When } from '../../../ui/When.tsx';
import { actorInWords } from '../../tenancy/auditSentence.ts';
import { recentRunsQuery, sourcesKey, sourcesQuery, type Source } from '../../tenancy/queries.ts';
import { ConnectSource } from './ConnectSource.tsx';
import { ReachNote } from './ReachNote.tsx';
import { SourceCredentials } from './SourceCredentials.tsx';
import { guidedPages, SetupSteps, sourceKindsQuery, useSourceKind, type SourceKind } from './sourceKinds.tsx';
import './sources.css';
import { TelemetryHowTo } from './TelemetryHowTo.tsx';

type Opened = { what: 'steps' | 'credentials' | 'delete'; source: Source } | null;

/** Waits for the provider kinds, because late buttons would move the rest of the page. */
export function Page() {
  const kinds = useQuery(sourceKindsQuery);
  return (
    <>
      <PageTitle
        title="Sources"
        about="Where your runs come from. Each source reports its runs as they happen."
      />
      <Needs role="viewer" scope="admin">
        <Loaded query={kinds} height={320}>
          {(list) => <Sources kinds={list} />}
        </Loaded>
      </Needs>
    </>
  );
}

function Sources({ kinds }: { kinds: SourceKind[] }) {
  const sources = useQuery(sourcesQuery);
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  const [params] = useSearchParams();
  const asked = params.get('connect');
  const [connecting, setConnecting] = useState<SourceKind | 'telemetry' | null>(() =>
    asked === 'telemetry' ? asked : (reason === null && kinds.find(({ kind }) => kind === asked)) || null,
  );
  const [opened, setOpened] = useState<Opened>(null);
  const close = () => setOpened(null);
  const toSources = () => setConnecting(null);
  if (connecting === 'telemetry') return <TelemetryHowTo onDone={toSources} />;
  if (connecting) return <ConnectSource kind={connecting} onDone={toSources} />;
  return (
    <Loaded query={sources} height={320}>
      {(list) => (
        <>
          <RightsNote reason={reason} />
          {list.length > 0 && (
            <ResourcePanel
              label="Sources"
              query={sources}
              rowsOf={() => list}
              columns={columnsFor(kinds, reason, setOpened)}
              keyOf={({ id }) => id}
              minWidth={720}
              fileName="runcost-sources"
              lead={countOf(list.length, 'source')}
              empty={{ title: 'No sources yet', text: null }}
            />
          )}
          {reason === null ? (
            <Ways kinds={kinds} isFirst={list.length === 0} onConnect={setConnecting} />
          ) : (
            list.length === 0 && <Empty title="No sources yet">Ask an admin to connect your CI.</Empty>
          )}
          {opened?.what === 'steps' && <StepsAgain source={opened.source} onClose={close} />}
          {opened?.what === 'credentials' && <SourceCredentials source={opened.source} onClose={close} />}
          {opened?.what === 'delete' && <DeleteSource source={opened.source} onClose={close} />}
        </>
      )}
    </Loaded>
  );
}

const texts: Record<string, string> = {
  github: 'Your own GitHub App: two clicks, no secret to copy, and the last 30 days at once.',
  gitlab: 'Paste a token once: Runcost adds the webhook to your group or project.',
  other: 'A webhook reports each job as it happens. Takes about 2 minutes.',
};

const icons: Record<string, Icon> = {
  github: IconBrandGithub,
  gitlab: IconBrandGitlab,
  circleci: IconCircleDot,
  buildkite: IconPipeline,
};
const iconOf = (kind: string) => icons[kind] ?? IconWebhook;

type WaysProps = {
  kinds: SourceKind[];
  isFirst: boolean;
  onConnect: (kind: SourceKind | 'telemetry') => void;
};

function Ways({ kinds, isFirst, onConnect }: WaysProps) {
  const [, navigate] = useLocation();
  return (
    <Stack gap="sm" component="section" aria-label={isFirst ? 'Choose your CI' : 'Connect another CI'}>
      <Title order={2} size="h4" mt={isFirst ? 0 : 'sm'}>
        {isFirst ? 'Choose your CI' : 'Connect another CI'}
      </Title>
      {isFirst && <WithoutSource />}
      <div className="ways">
        {kinds.map((kind) => {
          const guided = guidedPages[kind.kind];
          return (
            <Way
              key={kind.kind}
              icon={iconOf(kind.kind)}
              title={kind.title}
              text={texts[kind.kind] ?? texts['other']!}
            >
              <Group gap={4} wrap="nowrap">
                {guided !== undefined && (
                  <Button
                    size="xs"
                    variant={isFirst && kind.kind === 'github' ? 'filled' : 'default'}
                    onClick={() => navigate(guided)}
                  >
                    Connect {kind.title}
                  </Button>
                )}
                <Button
                  size="xs"
                  variant={guided === undefined ? 'default' : 'subtle'}
                  {...(guided !== undefined && { color: 'gray', px: 'xs' })}
                  aria-label={`${guided === undefined ? 'Connect' : 'Use a webhook for'} ${kind.title}`}
                  onClick={() => onConnect(kind)}
                >
                  {guided === undefined ? `Connect ${kind.title}` : 'Use a webhook'}
                </Button>
              </Group>
            </Way>
          );
        })}
        <Way
          icon={IconTelescope}
          title="OpenTelemetry"
          text="A collector sends the traces of your pipelines."
        >
          <Button size="xs" variant="default" onClick={() => onConnect('telemetry')}>
            Set up OpenTelemetry
          </Button>
        </Way>
        <Way
          icon={IconTerminal2}
          title="Any other CI"
          text="The last step of a pipeline reports its run with one request."
        >
          <Button size="xs" variant="default" component="a" href="/docs">
            API documentation
          </Button>
        </Way>
      </div>
    </Stack>
  );
}

/** Where the runs come from that are there all the same. */
function WithoutSource() {
  const { data: session } = useSession();
  const mayRead = useWhyNot()({ role: 'viewer', scope: 'costs:read' }) === null;
  const runs = useQuery({ ...recentRunsQuery(useOrganizationId()), enabled: mayRead });
  const isDemo = session?.organization.login === 'runcost--demo';
  return (
    <Text size="sm" c="dimmed" maw={720} mih="1.5em">
      {runs.isLoading
        ? ''
        : isDemo
          ? 'The runs in this organization are the demo’s. To follow a CI of yours, connect it here.'
          : runs.data?.length
            ? 'Your runs so far were read from history or reported with a token. A source adds new runs as they happen.'
            : 'Nothing is connected yet. You need to be an admin of your CI.'}
    </Text>
  );
}

type WayProps = { icon: Icon; title: string; text: string; children: ReactNode };

function Way({ icon: Shown, title, text, children }: WayProps) {
  return (
    <section aria-label={title} className="way">
      <Group gap={8} wrap="nowrap">
        <Shown size={20} stroke={1.7} aria-hidden />
        <Text fw={600}>{title}</Text>
      </Group>
      <Text size="sm" c="dimmed">
        {text}
      </Text>
      {children}
    </section>
  );
}

type OnOpen = (opened: Opened) => void;

function columnsFor(kinds: SourceKind[], reason: string | null, onOpen: OnOpen): Column<Source>[] {
  const kindOf = (source: Source) => kinds.find(({ kind }) => kind === source.kind);
  const titleOf = (source: Source) => kindOf(source)?.title ?? source.kind;
  return [
    {
      title: 'Source',
      value: ({ name }) => name,
      cell: SourceName,
    },
    {
      title: 'Provider',
      isPlain: true,
      value: titleOf,
      cell: (source) => <Provider kind={source.kind} title={titleOf(source)} />,
    },
    { title: 'Last event', isPlain: true, value: ({ last_event_at: at }) => at, cell: LastEvent },
    {
      title: 'Created',
      isHiddenOnPhones: true,
      value: ({ created_at: at }) => at,
      cell: ({ created_at: at }) => <When at={at} />,
    },
    {
      title: 'Actions',
      cell: (source) => (
        <Group gap={6} wrap="nowrap">
          <SourceButton {...{ source, onOpen }} label="Setup" what="steps" reason={null} />
          {kindOf(source)?.has_backfills && (
            <SourceButton {...{ source, onOpen, reason }} label="Credentials" what="credentials" />
          )}
          <SourceButton {...{ source, onOpen, reason }} label="Delete" what="delete" />
        </Group>
      ),
    },
  ];
}

function Provider({ kind, title }: { kind: string; title: string }) {
  const Shown = iconOf(kind);
  return (
    <span className="provider">
      <Shown size={16} stroke={1.7} aria-hidden />
      {title}
    </span>
  );
}

function SourceName({ name, github_app: app }: Source) {
  return (
    <>
      <Text size="sm" fw={500}>
        {name}
      </Text>
      {app && (
        <Text size="xs" c="dimmed">
          <Anchor href={app.page_url} target="_blank" rel="noreferrer" inherit underline="always">
            GitHub App
          </Anchor>
          , connected by {actorInWords(app.created_by, new Map()).who}
        </Text>
      )}
    </>
  );
}

const usualWaitMilliseconds = 15 * 60_000;

/** Since when it waits, and what to do if that is unusual. */
function LastEvent({ last_event_at: at, created_at: createdAt }: Source) {
  const now = useNow();
  if (at !== null) return <When at={at} />;
  const isLong = now.getTime() - Date.parse(createdAt) > usualWaitMilliseconds;
  return (
    <div>
      Waiting for the first event
      {isLong && (
        <Text size="xs" c="dimmed" style={{ whiteSpace: 'normal' }}>
          Connected <When at={createdAt} />. Does Setup match the webhook there?
        </Text>
      )}
    </div>
  );
}

type ButtonProps = {
  source: Source;
  label: string;
  what: NonNullable<Opened>['what'];
  reason: string | null;
  onOpen: OnOpen;
};

function SourceButton({ source, label, what, reason, onOpen }: ButtonProps) {
  return (
    <AllowedButton
      size="compact-sm"
      variant="default"
      reason={reason}
      aria-label={`${what === 'delete' ? 'Delete' : `${label} of`} ${source.name}`}
      {...(what === 'delete' && { px: 4 })}
      {...(what === 'delete' && reason === null && { 'data-hint': 'Delete' })}
      onClick={() => onOpen({ what, source })}
    >
      {what === 'delete' ? <IconTrash size={16} /> : label}
    </AllowedButton>
  );
}

function StepsAgain({ source, onClose }: { source: Source; onClose: () => void }) {
  const kind = useSourceKind(source);
  if (!kind) return null;
  const { title, how_to_connect: how } = kind;
  return (
    <Dialog onClose={onClose} title={`Setup of ${source.name}`} size="xl">
      <Stack>
        <ReachNote sender={how.hosted_title} />
        <CopyField label={how.url_label} what="the URL" value={source.ingest_url} />
        <Text size="sm">
          We showed the secret when you created the source. If you lost it, delete the source and connect{' '}
          {title} again. Recorded runs stay.
        </Text>
        <SetupSteps kind={kind} isAgain />
      </Stack>
    </Dialog>
  );
}

function DeleteSource({ source, onClose }: { source: Source; onClose: () => void }) {
  const kind = useSourceKind(source);
  const remove = useChange({
    act: async () => {
      await api.DELETE('/api/v1/sources/{id}', { params: { path: { id: source.id } } });
    },
    done: `${source.name} was deleted.`,
    refresh: [sourcesKey],
  });
  return (
    <Confirm
      title="Delete this source?"
      label="Delete source"
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate(undefined, { onSettled: onClose })}
    >
      We reject events for {source.name} from now on. Recorded runs stay. Remove the webhook in{' '}
      {kind?.title ?? source.kind} too.
    </Confirm>
  );
}
