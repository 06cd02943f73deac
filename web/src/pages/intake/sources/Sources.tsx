import { Button, Group, Stack, Text } from '@mantine/core';
import { IconTelescope, IconTerminal2, type Icon } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { api } from '../../../api/client.ts';
import {
  sourcesKey,
  sourcesQuery,
  type Source,
  sourceKindsQuery,
  type SourceKind,
} from '../../../api/queries.ts';
import { useOrganizationId, useSession } from '../../../api/session.ts';
import { icons } from '../../../parts/sources/providerIcons.ts';
import { SourceCredentials } from '../../../parts/sources/SourceCredentials.tsx';
import { CopyField } from '../../../ui/CopyField.tsx';
import { Confirm, Dialog } from '../../../ui/Dialog.tsx';
import { countOf } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Needs } from '../../../ui/Needs.tsx';
import { Empty, PageTitle, SectionTitle } from '../../../ui/Panel.tsx';
import { ResourcePanel } from '../../../ui/ResourcePanel.tsx';
import { RightsNote, useWhyNot } from '../../../ui/rights.tsx';
import { Note } from '../../../ui/text.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { ConnectSource } from './ConnectSource.tsx';
import { recentRunsQuery } from './queries.ts';
import { ReachNote } from './ReachNote.tsx';
import { sourceColumns, type Opened } from './sourceColumns.tsx';
import './sources.css';
import { SetupSteps, useSourceKind } from './sourceKinds.tsx';
import { TelemetryHowTo } from './TelemetryHowTo.tsx';

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
              columns={sourceColumns(kinds, reason, setOpened)}
              minWidth={720}
              fileName="runcost-sources"
              lead={countOf(list.length, 'source')}
              empty={null}
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

type WaysProps = {
  kinds: SourceKind[];
  isFirst: boolean;
  onConnect: (kind: SourceKind | 'telemetry') => void;
};

function Ways({ kinds, isFirst, onConnect }: WaysProps) {
  const [, navigate] = useLocation();
  return (
    <Stack gap="sm" component="section" aria-label={isFirst ? 'Choose your CI' : 'Connect another CI'}>
      <SectionTitle mt={isFirst ? 0 : 'sm'}>{isFirst ? 'Choose your CI' : 'Connect another CI'}</SectionTitle>
      {isFirst && <WithoutSource />}
      <div className="ways">
        {kinds.map((kind, index) => {
          const guided = kind.guided_page;
          return (
            <Way key={kind.kind} icon={icons[kind.icon]} title={kind.title} text={kind.about}>
              <Group gap={4} wrap="nowrap">
                {guided !== null && (
                  <Button
                    size="xs"
                    variant={isFirst && index === 0 ? 'filled' : 'default'}
                    onClick={() => navigate(guided)}
                  >
                    Connect {kind.title}
                  </Button>
                )}
                <Button
                  size="xs"
                  variant={guided === null ? 'default' : 'subtle'}
                  {...(guided !== null && { color: 'gray', px: 'xs' })}
                  aria-label={`${guided === null ? 'Connect' : 'Use a webhook for'} ${kind.title}`}
                  onClick={() => onConnect(kind)}
                >
                  {guided === null ? `Connect ${kind.title}` : 'Use a webhook'}
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

/** Explains where existing runs come from if there is no source. */
function WithoutSource() {
  const { data: session } = useSession();
  const mayRead = useWhyNot()({ role: 'viewer', scope: 'costs:read' }) === null;
  const runs = useQuery({ ...recentRunsQuery(useOrganizationId()), enabled: mayRead });
  const isDemo = session?.organization.login === 'runcost--demo';
  return (
    <Note maw={720} mih={{ base: '3em', xs: '1.5em' }}>
      {runs.isLoading
        ? ''
        : isDemo
          ? 'The runs in this organization are the demo’s. To follow a CI of yours, connect it here.'
          : runs.data?.length
            ? 'Your runs so far were read from history or reported with a token. A source adds new runs as they happen.'
            : 'Nothing is connected yet. You need to be an admin of your CI.'}
    </Note>
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
      <Note>{text}</Note>
      {children}
    </section>
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
    act: () => api.DELETE('/api/v1/sources/{id}', { params: { path: { id: source.id } } }),
    done: `${source.name} was deleted.`,
    refresh: [sourcesKey],
  });
  return (
    <Confirm title="Delete this source?" label="Delete source" change={remove} onClose={onClose}>
      We reject events for {source.name} from now on. Recorded runs stay. Remove the webhook in{' '}
      {kind?.title ?? source.kind} too.
    </Confirm>
  );
}
