import { Code, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { afterPriceChange } from '../../../api/queries.ts';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { SmallButton } from '../../../ui/rights.tsx';
import type { RowActions } from '../../../ui/rowActions.tsx';
import { Note } from '../../../ui/text.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { rulesQuery, type Rule } from './queries.ts';
import { RuleForm } from './RuleForm.tsx';
import { WhatIfPreview } from './WhatIfPreview.tsx';
import { matchWords, proposedRule, ratesInWords } from './words.ts';

export function RulesPanel({ reason }: { reason: string | null }) {
  const rules = useQuery(rulesQuery);
  const [isAdding, { open, close }] = useDisclosure();
  return (
    <Panel
      title="Rules"
      aside={
        <SmallButton reason={reason} onClick={open}>
          Add rule
        </SmallButton>
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
            <RuleTable rules={list} reason={reason} />
          )
        }
      </Loaded>
      {isAdding && <RuleForm rule={null} onClose={close} />}
    </Panel>
  );
}

function RuleTable({ rules, reason }: { rules: Rule[]; reason: string | null }) {
  const move = useChange({
    act: ({ rule, position }: { rule: Rule; position: number }) =>
      api.PUT('/api/v1/pricing/rules/{id}', { params: { path: { id: rule.id } }, body: { position } }),
    refresh: afterPriceChange,
  });
  const rowActions: RowActions<Rule> = {
    of: ({ pattern }) => `the rule for ${pattern}`,
    edit: { form: (rule, close) => <RuleForm rule={rule} onClose={close} /> },
    more: (rule) => [
      {
        label: 'Move up',
        reason: rule.position === 1 ? 'Already first.' : null,
        onClick: () => move.mutate({ rule, position: rule.position - 1 }),
      },
      {
        label: 'Move down',
        reason: rule.position === rules.length ? 'Already last.' : null,
        onClick: () => move.mutate({ rule, position: rule.position + 1 }),
      },
    ],
    remove: {
      what: 'rule',
      text: (rule) => (
        <>
          <Text size="sm" mb="sm">
            New jobs are priced without the rule for {rule.pattern}. Recorded jobs keep their price. For
            comparison:
          </Text>
          <WhatIfPreview proposal={{ rules: rules.filter(({ id }) => id !== rule.id).map(proposedRule) }} />
        </>
      ),
      act: ({ id }) => api.DELETE('/api/v1/pricing/rules/{id}', { params: { path: { id } } }),
      done: () => 'Rule deleted.',
      refresh: afterPriceChange,
    },
  };
  return (
    <DataTable
      label="Rules"
      minWidth={720}
      rows={rules}
      columns={columns}
      rowActions={reason === null ? rowActions : null}
      isStacked
    />
  );
}

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
];
