import { ActionIcon, Button, Group, Menu, Stack, Text } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Caret } from '../../../analysis/Caret.tsx';
import { api } from '../../../api/client.ts';
import { type Answer, bodyQuery, dataQuery } from '../../../api/query.ts';
import type { Column } from '../../../ui/columns.ts';
import { CsvDownload } from '../../../ui/CsvButton.tsx';
import { countOf, longDay } from '../../../ui/figures.ts';
import { MenuChoice } from '../../../ui/MenuChoice.tsx';
import { ResourcePanel } from '../../../ui/ResourcePanel.tsx';
import { AllowedButton, RightsNote, SmallButton, useWhyNot } from '../../../ui/rights.tsx';
import { ConfirmRemoval, type Removal } from '../../../ui/rowActions.tsx';
import { RowMenu } from '../../../ui/RowMenu.tsx';
import { isMoving } from '../../../ui/task.ts';
import { InText, LongText, Note, RepositoryName, StatusBadge, When } from '../../../ui/text.tsx';
import { pageIn, useAddress } from '../../../ui/useAddress.ts';
import { useChange } from '../../../ui/useChange.ts';
import './owners.css';
import { ImportRules } from './ImportRules.tsx';
import { RuleForm, type Rule } from './RuleForm.tsx';

const rulesPath = '/api/v1/ownership/rules';
const importsPath = '/api/v1/ownership/imports';

const perPage = 50;

type OwnerImport = Answer<typeof importsPath>[number];

type Opened = { what: 'add' } | { what: 'edit' | 'remove'; rule: Rule } | null;

const sources: Record<Rule['source'], string> = {
  manual: 'Written here',
  custom_properties: 'Custom properties',
  codeowners: 'CODEOWNERS',
};

function matchOf({ repository, workflow, label }: Rule): string {
  const parts = Object.entries({ repository, workflow, label }).flatMap(([name, pattern]) =>
    pattern === null ? [] : [`${name} ${pattern}`],
  );
  const text = parts.join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function daysOf({ valid_from: from, valid_until: until }: Rule): string {
  if (from && until) return `${longDay(from)} to ${longDay(until)}`;
  if (from) return `from ${longDay(from)}`;
  return until ? `until ${longDay(until)}` : '–';
}

async function readRules(): Promise<Blob> {
  const { data } = await api.GET('/api/v1/ownership/csv', { parseAs: 'blob' });
  return data as unknown as Blob;
}

export function OwnersPart() {
  const [address] = useAddress();
  const page = pageIn(address);
  const rules = useQuery({
    ...bodyQuery(rulesPath, { query: { page, per_page: perPage } }),
    placeholderData: keepPreviousData,
  });
  const [opened, setOpened] = useState<Opened>(null);
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  const close = () => setOpened(null);
  const listed = rules.data?.data ?? [];
  const hasMore = (rules.data?.pagination.total ?? 0) > page * perPage;
  const last = useLastOwn(listed, page, hasMore);
  const moving = useChange({
    act: ({ rule: { id }, position }: { rule: Rule; position: number }) =>
      api.PUT('/api/v1/ownership/rules/{id}', { params: { path: { id } }, body: { position } }),
    done: 'Rule moved.',
    refresh: [[rulesPath]],
  });
  const move = (rule: Rule, position: number) => moving.mutate({ rule, position });
  return (
    <Stack gap="xl">
      {reason !== null && <RightsNote reason={reason} />}
      <ResourcePanel
        label="Ownership rules"
        query={rules}
        pagesOf="rule"
        columns={columnsFor(listed, reason === null ? { onOpen: setOpened, onMove: move, last } : null)}
        minWidth={760}
        isOfPage
        lead={
          <>
            Rules are tried from the top, and the first match decides, for teams and cost centers separately.
            Costs without a rule are unowned in <InText href="/teams">Teams</InText>.
          </>
        }
        actions={
          <>
            {rules.data?.data.length !== 0 && <CsvDownload read={readRules} name="runcost-owners.csv" />}
            <ImportRules reason={reason} refresh={[[rulesPath]]} />
            <AllowedButton size="compact-sm" reason={reason} onClick={() => setOpened({ what: 'add' })}>
              Add rule
            </AllowedButton>
          </>
        }
        empty={{
          title: 'No rules yet',
          text: 'Add a rule that maps repositories to a team, import a CSV file, or import the owners that GitHub knows.',
        }}
      >
        {opened?.what === 'add' && <RuleForm rule={null} onClose={close} />}
        {opened?.what === 'edit' && <RuleForm rule={opened.rule} onClose={close} />}
        {opened?.what === 'remove' && <ConfirmRemoval row={opened.rule} removal={removal} onClose={close} />}
      </ResourcePanel>
      {/* After the rules, so that it does not move. */}
      {!rules.isPending && <Imports reason={reason} />}
    </Stack>
  );
}

/**
 * The position of the last rule written by people; those come first. The first rule of the next page says whether more
 * follow.
 */
function useLastOwn(listed: readonly Rule[], page: number, hasMore: boolean): number {
  const isAsked = hasMore && listed.at(-1)?.source === 'manual';
  const next = useQuery({
    ...dataQuery(rulesPath, { query: { page: page * perPage + 1, per_page: 1 } }),
    enabled: isAsked,
  });
  if (isAsked && next.data?.[0]?.source === 'manual') return Infinity;
  return Math.max(0, ...listed.filter(({ source }) => source === 'manual').map(({ position }) => position));
}

function columnsFor(rules: readonly Rule[], act: Act | null): Column<Rule>[] {
  return [
    {
      title: 'Matches',
      cell: (rule) => (
        <Group gap="sm" wrap="nowrap">
          <Note className="number" miw={20} visibleFrom="sm">
            {rule.position}
          </Note>
          <Match rule={rule} />
        </Group>
      ),
    },
    {
      title: 'Order',
      isPlain: true,
      cell: ({ position }) => `Rule ${position}`,
      className: 'mantine-hidden-from-sm',
    },
    {
      title: 'Owner',
      isPlain: true,
      cell: ({ owner }) => owner,
      className: 'breaking',
    },
    { title: 'Kind', isPlain: true, cell: ({ kind }) => (kind === 'team' ? 'Team' : 'Cost center') },
    ...(rules.some((rule) => daysOf(rule) !== '–') ? [{ title: 'Days (UTC)', cell: daysOf }] : []),
    ...(rules.some(({ source }) => source !== 'manual')
      ? [{ title: 'From', cell: ({ source }: Rule) => (source === 'manual' ? '–' : sources[source]) }]
      : []),
    ...(act ? [actionsColumn(act)] : []),
  ];
}

function Match({ rule: { repository, workflow, label } }: { rule: Rule }) {
  const rest = Object.entries({ workflow, label }).filter(([, pattern]) => pattern !== null);
  return (
    <LongText>
      <Text span inherit fw={500}>
        {repository === null ? 'Any repository' : <RepositoryName name={repository} />}
      </Text>
      {rest.map(([name, pattern]) => (
        <Text key={name} span inherit c="dimmed">
          {`, ${name} ${pattern}`}
        </Text>
      ))}
    </LongText>
  );
}

type Act = {
  onOpen: (opened: Opened) => void;
  onMove: (rule: Rule, position: number) => void;
  last: number;
};

function actionsColumn({ onOpen, onMove, last }: Act): Column<Rule> {
  return {
    title: 'Actions',
    cell: (rule) => {
      const isImported = rule.source !== 'manual';
      const reason = isImported ? 'Imported. Add a rule of your own, which comes first.' : null;
      const { position } = rule;
      const moves = [
        { way: 'up', Icon: IconArrowUp, to: position - 1, isPossible: position > 1 },
        { way: 'down', Icon: IconArrowDown, to: position + 1, isPossible: position < last },
      ].map((move) => ({ ...move, isPossible: move.isPossible && !isImported }));
      return (
        <Group gap={2} wrap="nowrap">
          {moves.map(({ way, Icon, to, isPossible }) => (
            <ActionIcon
              key={way}
              variant="subtle"
              color="gray"
              size={28}
              visibleFrom="sm"
              aria-label={`Move rule ${position} ${way}`}
              data-hint={`Move ${way}`}
              className="rule-move"
              style={isImported ? { visibility: 'hidden' } : undefined}
              // Not `disabled`: the button would lose the focus when its rule reaches an end of the list.
              {...(isPossible
                ? { onClick: () => onMove(rule, to) }
                : { 'data-disabled': true, 'aria-disabled': true })}
            >
              <Icon size={16} stroke={1.7} aria-hidden />
            </ActionIcon>
          ))}
          <RowMenu
            of={`rule ${position}`}
            items={[
              { label: 'Edit', reason, onClick: () => onOpen({ what: 'edit', rule }) },
              ...moves
                .filter(({ isPossible }) => isPossible)
                .map(({ way, to }) => ({ label: `Move ${way}`, onClick: () => onMove(rule, to) })),
              { label: 'Delete', onClick: () => onOpen({ what: 'remove', rule }) },
            ]}
          />
        </Group>
      );
    },
  };
}

const removal: Removal<Rule> = {
  what: 'rule',
  text: (rule) =>
    `${matchOf(rule)} no longer belongs to ${rule.owner}, even on past days. To keep history, edit the rule and give ` +
    'it a last day instead.',
  act: ({ id }) => api.DELETE('/api/v1/ownership/rules/{id}', { params: { path: { id } } }),
  done: () => 'Rule deleted.',
  refresh: [[rulesPath]],
};

function Imports({ reason }: { reason: string | null }) {
  const canRead = useWhyNot()({ role: 'viewer', scope: 'admin' }) === null;
  const imports = useQuery({
    ...dataQuery(importsPath, { query: { per_page: 10 } }),
    refetchInterval: ({ state }) => (state.data?.some(isMoving) ? 2_000 : false),
    enabled: canRead,
  });
  const start = useChange({
    act: (from: OwnerImport['from']) => api.POST(importsPath, { body: { from } }),
    done: 'Import started.',
    refresh: [[importsPath], [rulesPath]],
  });
  const cancel = useChange({
    act: (id: string) => api.POST('/api/v1/ownership/imports/{id}/cancel', { params: { path: { id } } }),
    done: 'Import canceled.',
    refresh: [[importsPath]],
  });
  if (!canRead || (reason !== null && imports.data?.length === 0)) return null;
  return (
    <ResourcePanel
      label="Imports of owners"
      query={imports}
      columns={importColumns((id) => cancel.mutate(id))}
      minWidth={640}
      lead={
        <>
          <Text fw={600} c="var(--mantine-color-text)" component="h2" size="md">
            Imports from GitHub
          </Text>
          {imports.data?.length === 0 && 'None yet. An import reads the owners of each repository.'}
        </>
      }
      isQuiet
      actions={
        reason === null && (
          <Menu position="bottom-end" shadow="md" width={280}>
            <Menu.Target>
              <Button size="compact-sm" variant="default" rightSection={<Caret />} loading={start.isPending}>
                Import owners
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <MenuChoice
                label="CODEOWNERS"
                about="The owner of all files of each repository."
                onClick={() => start.mutate('codeowners')}
              />
              <MenuChoice
                label="Custom properties"
                about="team and cost_center of each repository."
                onClick={() => start.mutate('custom_properties')}
              />
            </Menu.Dropdown>
          </Menu>
        )
      }
      empty={{ title: 'No imports yet', text: null }}
    />
  );
}

function importColumns(onCancel: (id: string) => void): Column<OwnerImport>[] {
  return [
    { title: 'From', cell: ({ from }) => sources[from] },
    {
      title: 'Status',
      cell: ({ status, error, problems }) => (
        <>
          <StatusBadge status={status} />
          {[error, ...problems.map(({ message }) => message)].filter(Boolean).map((text) => (
            <Note key={text} size="xs" style={{ whiteSpace: 'normal' }}>
              {text}
            </Note>
          ))}
        </>
      ),
    },
    { title: 'Found', isNumber: true, cell: ({ found }) => countOf(found, 'owner') },
    { title: 'Started', cell: ({ created_at: at }) => <When at={at} /> },
    {
      title: 'Actions',
      cell: (each) => isMoving(each) && <SmallButton onClick={() => onCancel(each.id)}>Cancel</SmallButton>,
    },
  ];
}
