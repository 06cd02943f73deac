import { Group, Text } from '@mantine/core';
import { IconTrash, type Icon } from '@tabler/icons-react';
import type { Source, SourceKind } from '../../../api/queries.ts';
import { useWho } from '../../../parts/people/useWho.ts';
import { icons } from '../../../parts/sources/providerIcons.ts';
import { timeColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { SmallButton } from '../../../ui/rights.tsx';
import { Note, OutsideLink, StatusBadge, TextButton, When } from '../../../ui/text.tsx';
import './sources.css';

export type Opened = { what: 'steps' | 'credentials' | 'delete'; source: Source } | null;

type OnOpen = (opened: Opened) => void;

export function sourceColumns(kinds: SourceKind[], reason: string | null, onOpen: OnOpen): Column<Source>[] {
  const kindOf = (source: Source) => kinds.find(({ kind }) => kind === source.kind);
  const titleOf = (source: Source) => kindOf(source)?.title ?? source.kind;
  return [
    {
      title: 'Source',
      value: ({ name }) => name,
      cell: (source) => <SourceName {...source} />,
    },
    {
      title: 'Provider',
      isPlain: true,
      value: titleOf,
      cell: (source) => <Provider icon={icons[kindOf(source)?.icon ?? 'webhook']} title={titleOf(source)} />,
    },
    {
      title: 'Last event',
      isPlain: true,
      value: ({ last_event_at: at }) => at,
      cell: (source) => <LastEvent source={source} onOpen={onOpen} />,
    },
    timeColumn('Created', ({ created_at: at }) => at, { isHiddenOnPhones: true }),
    {
      title: 'Actions',
      cell: (source) => (
        <Group gap={6} wrap="nowrap">
          <SourceButton source={source} onOpen={onOpen} label="Setup" what="steps" reason={null} />
          {(kindOf(source)?.has_backfills || kindOf(source)?.has_usage_data) && (
            <SourceButton
              source={source}
              onOpen={onOpen}
              reason={reason}
              label="Credentials"
              what="credentials"
            />
          )}
          <SourceButton source={source} onOpen={onOpen} reason={reason} label="Delete" what="delete" />
        </Group>
      ),
    },
  ];
}

function Provider({ icon: Shown, title }: { icon: Icon; title: string }) {
  return (
    <span className="provider">
      <Shown size={16} stroke={1.7} aria-hidden />
      {title}
    </span>
  );
}

function SourceName({ name, github_app: app }: Source) {
  const whoIs = useWho();
  return (
    <>
      <Text size="sm" fw={500}>
        {name}
      </Text>
      {app && (
        <Note size="xs">
          <OutsideLink href={app.page_url}>GitHub App</OutsideLink>, connected by {whoIs(app.created_by)}
        </Note>
      )}
    </>
  );
}

/** After this time without a run, the CI is idle or its webhook is gone. */
const quietMilliseconds = 7 * 86_400_000;

/** Shows whether events arrive, and how to fix it if not. */
function LastEvent({ source, onOpen }: { source: Source; onOpen: OnOpen }) {
  const { last_event_at: at } = source;
  const now = new Date();
  const isQuiet = at !== null && now.getTime() - Date.parse(at) > quietMilliseconds;
  const check = (
    <TextButton
      aria-label={`Check the setup of ${source.name}`}
      onClick={() => onOpen({ what: 'steps', source })}
    >
      Check the setup
    </TextButton>
  );
  return (
    <Group gap="4px 8px" component="span" display="inline-flex">
      <StatusBadge status={at === null ? 'waiting' : isQuiet ? 'quiet' : 'receiving'} />
      {at === null ? (
        <span>
          <span className="mantine-visible-from-sm">for the first event. </span>
          {check}
        </span>
      ) : (
        <span>
          <When at={at} />
          {isQuiet && <>. {check}</>}
        </span>
      )}
    </Group>
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
    <SmallButton
      reason={reason}
      aria-label={`${what === 'delete' ? 'Delete' : `${label} of`} ${source.name}`}
      {...(what === 'delete' && { px: 4 })}
      {...(what === 'delete' && reason === null && { 'data-hint': 'Delete' })}
      onClick={() => onOpen({ what, source })}
    >
      {what === 'delete' ? <IconTrash size={16} /> : label}
    </SmallButton>
  );
}
