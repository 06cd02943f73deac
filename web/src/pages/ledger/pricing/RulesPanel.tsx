import { Code, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { afterPriceChange } from '../../../api/queries.ts';
import type { Column } from '../../../ui/columns.ts';
import { Confirm } from '../../../ui/Confirm.tsx';
import { DataTable } from '../../../ui/DataTable.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Note } from '../../../ui/Note.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { AllowedButton } from '../../../ui/rights.tsx';
import { RowMenu } from '../../../ui/RowMenu.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { rulesQuery, type Rule } from './queries.ts';
import { RuleForm } from './RuleForm.tsx';
import { WhatIfPreview } from './WhatIfPreview.tsx';
import { matchWords, proposedRule, ratesInWords } from './words.ts';

type Opened = { what: 'edit' | 'delete'; rule: Rule } | { what: 'add' } | null;

export function RulesPanel({ reason }: { reason: string | null }) {
  const rules = useQuery(rulesQuery);
  const [opened, setOpened] = useState<Opened>(null);
  const close = () => setOpened(null);
  return (
    <Panel
      title="Rules"
      aside={
        <AllowedButton size="compact-sm" reason={reason} onClick={() => setOpened({ what: 'add' })}>
          Add rule
        </AllowedButton>
      }
    >
      <Note>
        Map runner labels to prices. The first match wins. A rule maps a runner to a price in the price list,
        or to a name with its own rate.
      </Note>
      <Loaded query={rules} height={120}>
        {(list) =>
          list.length === 0 ? (
            <Text size="sm">
              No rules yet. We recognize runners by their standard labels and groups. Add a rule for larger
              runners with your own names, or for runners from another company.
            </Text>
          ) : (
            <RuleTable rules={list} reason={reason} onOpen={setOpened} />
          )
        }
      </Loaded>
      {opened?.what === 'add' && <RuleForm rule={null} onClose={close} />}
      {opened?.what === 'edit' && <RuleForm rule={opened.rule} onClose={close} />}
      {opened?.what === 'delete' && (
        <DeleteRule rule={opened.rule} rules={rules.data ?? []} onClose={close} />
      )}
    </Panel>
  );
}

type TableProps = { rules: Rule[]; reason: string | null; onOpen: (opened: Opened) => void };

function RuleTable({ rules, reason, onOpen }: TableProps) {
  const move = useChange({
    act: ({ rule, position }: { rule: Rule; position: number }) =>
      api.PUT('/api/v1/pricing/rules/{id}', { params: { path: { id: rule.id } }, body: { position } }),
    refresh: afterPriceChange,
  });
  const columns: Column<Rule>[] = [
    {
      title: 'Match',
      cell: ({ position, match, pattern }) => (
        <Group gap="sm" wrap="nowrap">
          <Note className="number" miw={20}>
            {position}
          </Note>
          <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>
            {matchWords[match]} <Code>{pattern}</Code>
          </Text>
        </Group>
      ),
    },
    { title: 'Runner', cell: ({ runner_kind: kind, name }) => kind ?? name },
    { title: 'Rate', cell: ratesInWords },
    { title: 'Rounding', cell: ({ rounding }) => (rounding === null ? 'Default' : `Whole ${rounding}s`) },
    ...(reason === null
      ? [
          {
            title: 'Actions',
            cell: (rule: Rule) => (
              <RuleButtons
                rule={rule}
                isLast={rule.position === rules.length}
                onMove={(position) => move.mutate({ rule, position })}
                onOpen={onOpen}
              />
            ),
          },
        ]
      : []),
  ];
  return (
    <DataTable label="Rules" minWidth={720} rows={rules} columns={columns} keyOf={({ id }) => id} isStacked />
  );
}

type ButtonsProps = {
  rule: Rule;
  isLast: boolean;
  onMove: (position: number) => void;
  onOpen: (opened: Opened) => void;
};

function RuleButtons({ rule, isLast, onMove, onOpen }: ButtonsProps) {
  return (
    <RowMenu
      of={`the rule for ${rule.pattern}`}
      items={[
        { label: 'Edit', onClick: () => onOpen({ what: 'edit', rule }) },
        {
          label: 'Move up',
          reason: rule.position === 1 ? 'Already first.' : null,
          onClick: () => onMove(rule.position - 1),
        },
        {
          label: 'Move down',
          reason: isLast ? 'Already last.' : null,
          onClick: () => onMove(rule.position + 1),
        },
        { label: 'Delete', onClick: () => onOpen({ what: 'delete', rule }) },
      ]}
    />
  );
}

function DeleteRule({ rule, rules, onClose }: { rule: Rule; rules: Rule[]; onClose: () => void }) {
  const remove = useChange({
    act: () => api.DELETE('/api/v1/pricing/rules/{id}', { params: { path: { id: rule.id } } }),
    done: 'Rule deleted.',
    refresh: afterPriceChange,
  });
  const left = rules.filter(({ id }) => id !== rule.id).map(proposedRule);
  return (
    <Confirm title="Delete this rule?" label="Delete rule" change={remove} onClose={onClose}>
      <Text size="sm" mb="sm">
        New jobs are priced without the rule for {rule.pattern}. Recorded jobs keep their price. For
        comparison:
      </Text>
      <WhatIfPreview proposal={{ rules: left }} />
    </Confirm>
  );
}
