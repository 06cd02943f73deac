import { Code, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { actorKindTitles } from '../../../analysis/words.ts';
import { api } from '../../../api/client.ts';
import { type Answer, dataQuery } from '../../../api/query.ts';
import { textColumn, timeColumn } from '../../../ui/cells.tsx';
import { optionsOf } from '../../../ui/Choice.tsx';
import type { Column } from '../../../ui/columns.ts';
import { longDay } from '../../../ui/figures.ts';
import { below, Form } from '../../../ui/Form.tsx';
import { Loading } from '../../../ui/Loaded.tsx';
import { ResourcePanel } from '../../../ui/ResourcePanel.tsx';
import { AllowedButton, RightsNote, useWhyNot } from '../../../ui/rights.tsx';
import type { RowActions } from '../../../ui/rowActions.tsx';
import { InText } from '../../../ui/text.tsx';

const patternsPath = '/api/v1/actors/patterns';

type Patterns = Answer<typeof patternsPath>;
type Pattern = Patterns[number] & { id: string };

/** Changed patterns change the figures of all days. */
const refresh = [[patternsPath], ['/api/v1/costs']];

const isOwn = (pattern: Patterns[number]): pattern is Pattern => pattern.id !== null;

/** Which actors are agents, bots and people, as far as the organization says. */
export function ActorsPart() {
  const [isAdding, setIsAdding] = useState(false);
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  const patterns = useQuery(dataQuery(patternsPath));
  const checked = patterns.data?.find((pattern) => !isOwn(pattern))?.checked_on;
  if (patterns.isPending) return <Loading height={240} />;
  return (
    <Stack gap="xl">
      {reason !== null && <RightsNote reason={reason} />}
      <ResourcePanel
        label="Agents, bots, people"
        query={patterns}
        rowsOf={(all) => all.filter(isOwn)}
        columns={columns}
        rowActions={reason === null ? rowActions : null}
        minWidth={560}
        isOfPage
        lead={
          <>
            Runcost knows common agents and bots by name{checked && `, as of ${longDay(checked)}`}. Your
            patterns come first, for past days too. See{' '}
            <InText href="/explore?group_by=actor_kind">what each kind costs</InText>.
          </>
        }
        actions={
          <AllowedButton size="compact-sm" reason={reason} onClick={() => setIsAdding(true)}>
            Add pattern
          </AllowedButton>
        }
        empty={{
          title: 'No patterns of your own',
          text: 'Add one for accounts that Runcost takes for people.',
        }}
      >
        {isAdding && <PatternForm pattern={null} onClose={() => setIsAdding(false)} />}
      </ResourcePanel>
    </Stack>
  );
}

const columns: Column<Pattern>[] = [
  {
    title: 'Actor',
    value: ({ pattern }) => pattern,
    cell: ({ pattern }) => <Code>{pattern}</Code>,
  },
  textColumn('Kind', titleOf, { isPlain: true }),
  timeColumn('Changed', ({ updated_at: at }) => at, { isHiddenOnPhones: true }),
];

function titleOf({ kind }: Pattern): string {
  return actorKindTitles[kind];
}

const rowActions: RowActions<Pattern> = {
  of: ({ pattern }) => `the pattern ${pattern}`,
  edit: { form: (pattern, close) => <PatternForm pattern={pattern} onClose={close} /> },
  remove: {
    what: 'pattern',
    text: ({ pattern }) => `What ${pattern} is, Runcost then decides by its own list, for past days too.`,
    act: ({ id }) => api.DELETE('/api/v1/actors/patterns/{id}', { params: { path: { id } } }),
    done: () => 'Pattern deleted.',
    refresh,
  },
};

function PatternForm({ pattern, onClose }: { pattern: Pattern | null; onClose: () => void }) {
  const initial: Pick<Pattern, 'pattern' | 'kind'> = pattern ?? { pattern: '', kind: 'agent' };
  return (
    <Form
      title={pattern ? 'Edit pattern' : 'Add a pattern'}
      label={pattern ? 'Save pattern' : 'Add pattern'}
      initial={{ pattern: initial.pattern, kind: initial.kind }}
      fields={() => [
        {
          name: 'pattern',
          label: 'Actor',
          description: 'A name in any case. * stands for any characters.',
          placeholder: 'acme-agent-*',
          required: true,
          maxLength: 255,
          'data-autofocus': true,
          ...below,
        },
        { name: 'kind', kind: 'choice', label: 'These are', options: optionsOf(actorKindTitles) },
      ]}
      act={async (body) => {
        if (!pattern) await api.POST(patternsPath, { body });
        else await api.PUT('/api/v1/actors/patterns/{id}', { params: { path: { id: pattern.id } }, body });
      }}
      done={pattern ? 'Pattern saved.' : 'Pattern added.'}
      refresh={refresh}
      onClose={onClose}
    />
  );
}
