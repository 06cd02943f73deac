import { Group, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { bodyQuery, dataQuery } from '../../../api/query.ts';
import type { Column } from '../../../ui/columns.ts';
import { CsvDownload } from '../../../ui/CsvButton.tsx';
import { longDay } from '../../../ui/figures.ts';
import { Loading } from '../../../ui/Loaded.tsx';
import { ResourcePanel } from '../../../ui/ResourcePanel.tsx';
import { AllowedButton, RightsNote, useWhyNot } from '../../../ui/rights.tsx';
import { ConfirmRemoval, type Removal } from '../../../ui/rowActions.tsx';
import { RowMenu } from '../../../ui/RowMenu.tsx';
import { InText, LongText, Money, Note, RepositoryName, TextLink } from '../../../ui/text.tsx';
import { pageIn, useAddress } from '../../../ui/useAddress.ts';
import { useChange } from '../../../ui/useChange.ts';
import './owners.css';
import { ImportRules } from './ImportRules.tsx';
import { Imports } from './Imports.tsx';
import { Arrows, DragHandle, movesOf, type Move } from './MoveRule.tsx';
import { changedByRules, rulesPath, useRuleCosts } from './queries.ts';
import { RuleForm, type Given } from './RuleForm.tsx';
import { kinds, moved, ownerAddress, sources, type Rule, type RuleCosts } from './rules.ts';
import { Unowned } from './Unowned.tsx';

const perPage = 50;

type Opened = { what: 'add'; given?: Given } | { what: 'edit' | 'remove'; rule: Rule } | null;

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
  const costs = useRuleCosts();
  const [opened, setOpened] = useState<Opened>(null);
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  const close = () => setOpened(null);
  const moving = useChange({
    act: ({ id, position }: { id: string; position: number }) =>
      api.PUT('/api/v1/ownership/rules/{id}', { params: { path: { id } }, body: { position } }),
    done: 'Rule moved.',
    refresh: changedByRules,
  });
  const read = rules.data?.data ?? [];
  const listed = moving.isPending ? moved(read, moving.variables) : read;
  const hasMore = (rules.data?.pagination.total ?? 0) > page * perPage;
  const last = useLastOwn(listed, page, hasMore);
  const act: Act | null =
    reason === null
      ? { onOpen: setOpened, onMove: ({ id }, position) => moving.mutate({ id, position }), last, listed }
      : null;
  // Together, so that nothing below moves.
  if (rules.isPending || costs.isPending) return <Loading height={560} />;
  return (
    <Stack gap="xl">
      {reason !== null && <RightsNote reason={reason} />}
      {costs.data && page === 1 && (
        <Unowned costs={costs.data} onAdd={act && ((given) => setOpened({ what: 'add', given }))} />
      )}
      <ResourcePanel
        label="Ownership rules"
        query={rules}
        rowsOf={() => listed}
        pagesOf="rule"
        columns={columnsFor(listed, costs.data, act)}
        minWidth={760}
        isOfPage
        lead={
          <>
            Rules are tried from the top, and the first match decides, for teams and cost centers separately.
            See <InText href="/teams">what each team costs</InText>.
          </>
        }
        actions={
          <>
            {read.length !== 0 && <CsvDownload read={readRules} name="runcost-owners.csv" />}
            <ImportRules reason={reason} refresh={changedByRules} />
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
        {opened?.what === 'add' && <RuleForm rule={null} given={opened.given} onClose={close} />}
        {opened?.what === 'edit' && <RuleForm rule={opened.rule} onClose={close} />}
        {opened?.what === 'remove' && <ConfirmRemoval row={opened.rule} removal={removal} onClose={close} />}
      </ResourcePanel>
      <Imports reason={reason} />
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

type Act = { onOpen: (opened: Opened) => void; onMove: Move; last: number; listed: readonly Rule[] };

function columnsFor(rules: readonly Rule[], costs: RuleCosts | undefined, act: Act | null): Column<Rule>[] {
  return [
    {
      title: 'Matches',
      cell: (rule) => (
        <Group gap="sm" wrap="nowrap">
          {act && <DragHandle rule={rule} {...act} />}
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
      cell: ({ kind, owner }) => (
        <TextLink inherit href={ownerAddress(kind, owner)}>
          {owner}
        </TextLink>
      ),
      className: 'breaking',
    },
    { title: 'Kind', isPlain: true, cell: ({ kind }) => kinds[kind] },
    ...(costs ? [costColumn(costs)] : []),
    ...(rules.some((rule) => daysOf(rule) !== '–') ? [{ title: 'Days (UTC)', cell: daysOf }] : []),
    ...(rules.some(({ source }) => source !== 'manual')
      ? [{ title: 'From', cell: ({ source }: Rule) => (source === 'manual' ? '–' : sources[source]) }]
      : []),
    ...(act ? [actionsColumn(act)] : []),
  ];
}

function costColumn({ rules, period }: RuleCosts): Column<Rule> {
  const costOf = new Map(rules.map(({ id, cost }) => [id, cost]));
  return {
    title: `Cost, last ${period.days} days`,
    isNumber: true,
    isPlain: true,
    cell: ({ id }) => {
      const cost = costOf.get(id);
      return cost === undefined ? 'No jobs' : <Money amount={cost} />;
    },
  };
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

function actionsColumn({ onOpen, onMove, last }: Act): Column<Rule> {
  return {
    title: 'Actions',
    cell: (rule) => {
      const reason = rule.source === 'manual' ? null : 'Imported. Add a rule of your own, which comes first.';
      const moves = { rule, last, onMove };
      return (
        <Group gap={2} wrap="nowrap">
          <Arrows {...moves} />
          <RowMenu
            of={`rule ${rule.position}`}
            items={[
              { label: 'Edit', reason, onClick: () => onOpen({ what: 'edit', rule }) },
              ...movesOf(moves).flatMap(({ label, onClick }) => (onClick ? { label, onClick } : [])),
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
  refresh: changedByRules,
};
