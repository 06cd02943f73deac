import { SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import { DayField } from '../../../analysis/DayField.tsx';
import type { Answer } from '../../../api/answer.ts';
import { api } from '../../../api/client.ts';
import { Choice } from '../../../ui/Choice.tsx';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { errorOf, useChange } from '../../../ui/useChange.ts';

export type Rule = Answer<'/api/v1/ownership/rules'>[number];

const kinds = [
  { value: 'team', label: 'Team' },
  { value: 'cost_center', label: 'Cost center' },
] as const;

const texts = ['owner', 'repository', 'workflow', 'label', 'valid_from', 'valid_until', 'position'] as const;
type Field = (typeof texts)[number];

export function RuleForm({ rule, onClose }: { rule: Rule | null; onClose: () => void }) {
  const [kind, setKind] = useState<Rule['kind']>(rule?.kind ?? 'team');
  const [typed, setTyped] = useState(
    () =>
      Object.fromEntries(texts.map((name) => [name, String(rule?.[name] ?? '')])) as Record<Field, string>,
  );
  const save = useChange({
    act: async () => {
      const { owner, position, ...patterns } = typed;
      const body = {
        kind,
        owner: owner.trim(),
        ...Object.fromEntries(Object.entries(patterns).map(([name, text]) => [name, text.trim() || null])),
        ...(position && { position: Number(position) }),
      };
      if (rule) await api.PUT('/api/v1/ownership/rules/{id}', { params: { path: { id: rule.id } }, body });
      else await api.POST('/api/v1/ownership/rules', { body });
    },
    done: rule ? 'Rule saved.' : 'Rule added.',
    refresh: [['/api/v1/ownership/rules']],
    isErrorShown: true,
  });
  const field = (name: Field, label: string, more: object = {}) => (
    <TextInput
      label={label}
      value={typed[name]}
      onChange={({ currentTarget }) => setTyped({ ...typed, [name]: currentTarget.value })}
      error={errorOf(save.error, name)}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      {...more}
    />
  );
  const day = (name: Field, label: string, more: { description: string; min?: string }) => (
    <DayField
      label={label}
      value={typed[name]}
      onChange={(chosen) => setTyped({ ...typed, [name]: chosen })}
      error={errorOf(save.error, name)}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      placeholder="Any day"
      {...more}
    />
  );
  return (
    <FormDialog
      title={rule ? 'Edit rule' : 'Add a rule'}
      label={rule ? 'Save rule' : 'Add rule'}
      change={save}
      fields={['kind', ...texts]}
      onClose={onClose}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Choice label="Owner is a" options={kinds} value={kind} onChange={setKind} data-autofocus />
        {field('owner', 'Owner', { required: true, maxLength: 100, placeholder: 'Platform' })}
        {field('repository', 'Repository', {
          description: 'owner/name. * stands for any characters.',
          placeholder: 'acme/api-*',
        })}
        {field('workflow', 'Workflow', { description: 'Name or id.', placeholder: 'Deploy*' })}
        {field('label', 'Label', { description: 'Any one label of the job.', placeholder: 'gpu-*' })}
        {field('position', 'Position', {
          description: 'The first match decides. Leave empty to add it last.',
          inputMode: 'numeric',
          pattern: '[0-9]*',
        })}
        {day('valid_from', 'First day (UTC)', { description: 'Leave empty for all of history.' })}
        {day('valid_until', 'Last day (UTC)', { description: 'Empty: no end.', min: typed.valid_from })}
      </SimpleGrid>
    </FormDialog>
  );
}
