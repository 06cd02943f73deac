import { ActionIcon, Button, Card, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { DayField } from '../../analysis/DayField.tsx';
import { Pick } from '../../analysis/Pick.tsx';
import { clockIn, zoneName } from '../../api/calendar.ts';
import { type Member, membersQuery, type Token, tokensQuery } from '../../api/queries.ts';
import { bodyQuery, readCsv } from '../../api/query.ts';
import { actorInWords, namesOfActors } from '../../parts/people/actors.ts';
import { viewersZone } from '../../ui/browserState.ts';
import { CodeBlock } from '../../ui/Command.tsx';
import { CsvDownload } from '../../ui/CsvButton.tsx';
import { countOf, longDay, timeInFull } from '../../ui/figures.ts';
import { Loaded, Loading } from '../../ui/Loaded.tsx';
import { Pager, type Pagination } from '../../ui/Pager.tsx';
import { Empty } from '../../ui/Panel.tsx';
import { InText, Note } from '../../ui/text.tsx';
import { dayIn, pageIn, useAddress } from '../../ui/useAddress.ts';
import { type AuditEntry, type AuditPage, auditPath } from './queries.ts';

function useAsked(members: readonly Member[], tokens: readonly Token[]) {
  const [address, change] = useAddress();
  const by = address.get('by');
  // The API refuses others.
  const kind = address.get('kind') as AuditPage['kinds'][number]['kind'] | null;
  const actor = by === null ? undefined : actorsOf(by, members, tokens);
  const from = dayIn(address, 'from');
  const to = dayIn(address, 'to');
  const query = {
    ...(kind !== null && { kind: [kind] }),
    ...(actor && { actor }),
    ...(from && { from }),
    ...(to && { to }),
  };
  return { by, kind, from, to, page: pageIn(address), query, change };
}

/** A person acts in browsers and by personal tokens. */
function actorsOf(by: string, members: readonly Member[], tokens: readonly Token[]): string[] {
  if (by === 'cli') return ['cli', 'session of cli'];
  const member = members.find(({ id }) => id === by);
  const own = tokens.filter(({ id, member_id: holder }) => id === by || holder === by);
  return [
    ...(member ? [`session of ${member.email}`] : []),
    ...own.flatMap(({ id, name, member_id: holder }) => [
      `token ${id}`,
      ...(holder === null ? [`session of token ${name}`] : []),
    ]),
    ...(member || own.length > 0 ? [] : [by]),
  ];
}

export function AuditPart() {
  const members = useQuery(membersQuery);
  const tokens = useQuery(tokensQuery);
  if (members.isPending || tokens.isPending) return <Loading height={480} />;
  return <AuditLog members={members.data ?? []} tokens={tokens.data ?? []} />;
}

type LogProps = {
  members: readonly Member[];
  tokens: readonly Token[];
};

function AuditLog({ members, tokens }: LogProps) {
  const asked = useAsked(members, tokens);
  const { by, kind, from, to, page, query, change } = asked;
  const audit = useQuery({
    ...bodyQuery(auditPath, { query: { ...query, page, per_page: 50 } }),
    placeholderData: keepPreviousData,
  });
  const isFiltered = [by, kind, from, to].some((each) => each !== null);
  return (
    <Stack gap="md">
      <Filters
        asked={asked}
        kinds={audit.data?.kinds ?? []}
        members={members}
        tokens={tokens}
        isFiltered={isFiltered}
      >
        <Group ms="auto" className="of-page">
          <CsvDownload read={() => readCsv(auditPath, query)} name="runcost-audit-log.csv" />
        </Group>
      </Filters>
      <Loaded query={audit} height={480}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title={isFiltered ? 'No matching entries' : 'No changes yet'}>
              {isFiltered ? 'Clear a filter to see more.' : 'Every change to your organization appears here.'}
            </Empty>
          ) : (
            <Days
              entries={data}
              members={members}
              tokens={tokens}
              pagination={pagination}
              onPage={(next) => change({ page: String(next) })}
            />
          )
        }
      </Loaded>
    </Stack>
  );
}

type FilterProps = LogProps & {
  kinds: AuditPage['kinds'];
  asked: ReturnType<typeof useAsked>;
  isFiltered: boolean;
  children: ReactNode;
};

function Filters({ asked, kinds, members, tokens, isFiltered, children }: FilterProps) {
  const { by, kind, from, to, change } = asked;
  const people = [
    { value: '', title: 'Everybody' },
    ...members.map(({ id, name, email }) => ({ value: id, title: name ?? email })),
    ...tokens
      .filter(({ member_id: holder }) => holder === null)
      .map(({ id, name }) => ({ value: id, title: `Token ${name}` })),
    { value: 'cli', title: 'Command line' },
  ];
  const day = (name: 'from' | 'to', label: string, value: string | null) => (
    <DayField
      isCompact
      label={label}
      w={170}
      value={value ?? ''}
      onChange={(next) => change({ [name]: next })}
    />
  );
  return (
    <Group gap="xs">
      <Pick label="Actor" options={people} value={by ?? ''} onChange={(next) => change({ by: next })} />
      <Pick
        label="Kind"
        options={[{ value: '', title: 'All' }, ...kinds.map(({ kind: value, title }) => ({ value, title }))]}
        value={kind ?? ''}
        onChange={(next) => change({ kind: next })}
      />
      {day('from', 'From', from)}
      {day('to', 'To', to)}
      {isFiltered && (
        <Button
          size="xs"
          variant="subtle"
          onClick={() => change({ by: null, kind: null, from: null, to: null })}
        >
          Clear filters
        </Button>
      )}
      {children}
    </Group>
  );
}

type DaysProps = LogProps & {
  entries: readonly AuditEntry[];
  pagination: Pagination;
  onPage: (page: number) => void;
};

function Days({ entries, members, tokens, pagination, onPage }: DaysProps) {
  const { names, holders } = namesOfActors(tokens, members);
  const nameIn = (entry: AuditEntry | undefined) => entry && actorInWords(entry.actor, names, holders).who;
  const byDay = new Map<string, AuditEntry[]>();
  for (const entry of entries) {
    const { day } = clockIn(new Date(entry.created_at));
    byDay.set(day, [...(byDay.get(day) ?? []), entry]);
  }
  const days = [...byDay].map(([day, listed]) => ({ day, rows: withoutRepeats(listed) }));
  const rowCount = days.reduce((sum, { rows }) => sum + rows.length, 0);
  return (
    <Stack gap="md">
      {days.map(({ day, rows }) => (
        <Card key={day} withBorder p={0} component="section" aria-label={longDay(day)}>
          <Group px="md" py={8} className="audit-day">
            <Text component="h2" size="sm" fw={600}>
              {longDay(day)}
            </Text>
            <Text size="xs" c="dimmed" ms="auto">
              {zoneName(new Date(rows[0]!.entry.created_at))}
            </Text>
          </Group>
          <ul className="audit-entries">
            {rows.map(({ key: _, ...each }, index, all) => (
              <Entry
                key={each.entry.id}
                {...each}
                names={names}
                holders={holders}
                isSameName={nameIn(all[index - 1]?.entry) === nameIn(each.entry)}
              />
            ))}
          </ul>
        </Card>
      ))}
      <Pager
        pagination={pagination}
        onPage={onPage}
        one="entry"
        many="entries"
        note={rowCount < entries.length ? `${countOf(rowCount, 'row')} on this page` : undefined}
      />
    </Stack>
  );
}

type Repeated = { entry: AuditEntry; times: number; since: string };

/** Shows several entries in a row that say the same as one, the latest. */
function withoutRepeats(entries: readonly AuditEntry[]) {
  const shown: (Repeated & { key: string })[] = [];
  for (const entry of entries) {
    const { actor, action, summary, details } = entry;
    const key = JSON.stringify([actor, action, summary, details]);
    const last = shown.at(-1);
    if (last?.key === key) {
      last.times++;
      last.since = entry.created_at;
    } else shown.push({ entry, times: 1, since: entry.created_at, key });
  }
  return shown;
}

type ShownProps = Repeated & {
  names: ReadonlyMap<string, string>;
  holders: ReadonlyMap<string, string>;
  isSameName: boolean;
};

/** Emphasizes the name if it differs from the entry above. */
function Entry({ entry, names, holders, times, since, isSameName }: ShownProps) {
  const { who, via } = actorInWords(entry.actor, names, holders);
  const at = new Date(entry.created_at);
  return (
    <li>
      <Text
        component="span"
        size="sm"
        c="dimmed"
        className="number"
        aria-description={timeInFull(at, viewersZone())}
      >
        <time dateTime={entry.created_at}>{clockIn(at).time.slice(0, 5)}</time>
      </Text>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        <Text span inherit {...(isSameName ? { c: 'dimmed' } : { fw: 600 })}>
          {who}
        </Text>{' '}
        <Summary entry={entry} />
        {times > 1 && `, ${times} times since ${clockIn(new Date(since)).time.slice(0, 5)}`}
        {via && (
          <Note span size="xs" className="audit-via">
            {' '}
            · {via}
          </Note>
        )}
      </Text>
      <AuditDetails entry={entry} />
    </li>
  );
}

/** The target's name is a link to its page. It is in quotes or else at the end. */
function Summary({ entry: { summary, target_name: name, target_page: page } }: { entry: AuditEntry }) {
  if (name === null || page === null) return summary;
  const inQuotes = summary.indexOf(`“${name}”`);
  const start = inQuotes === -1 ? summary.lastIndexOf(name) : inQuotes + 1;
  if (start === -1) return summary;
  return (
    <>
      {summary.slice(0, start)}
      <InText href={page}>{name}</InText>
      {summary.slice(start + name.length)}
    </>
  );
}

/** The entry as it is stored, with every field. */
function AuditDetails({ entry: { actor, action, target, details } }: { entry: AuditEntry }) {
  const [isOpen, { toggle }] = useDisclosure();
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={24}
        aria-label="Details"
        aria-expanded={isOpen}
        onClick={toggle}
      >
        <IconChevronDown size={16} aria-hidden style={{ rotate: isOpen ? '180deg' : '0deg' }} />
      </ActionIcon>
      {isOpen && (
        <CodeBlock label="Details" mah={240}>
          {JSON.stringify({ action, actor, target, details }, null, 2)}
        </CodeBlock>
      )}
    </>
  );
}
