import { Stack } from '@mantine/core';
import { useId } from 'react';
import { useScopeValues } from '../../../alerts/queries.ts';
import type { Scope } from '../../../alerts/types.ts';
import { Choice } from '../../../ui/Choice.tsx';
import { Fields, formOf, type Item } from '../../../ui/Form.tsx';
import { scopeChoices } from './words.ts';

type Props = { value: Scope; onChange: (scope: Scope) => void; error: string | null };

export function ScopeFields({ value: scope, onChange, error }: Props) {
  const { data: known = [] } = useScopeValues(scope.type);
  const listId = useId();
  const change = (changes: Partial<Scope>) => {
    // The name is that of the value before.
    const { name: _, ...next } = { ...scope, ...changes };
    onChange({ ...next, value: next.value ?? '' });
  };
  return (
    <Stack gap="xs">
      <Choice
        label="Watches"
        options={scopeChoices}
        value={scope.type}
        onChange={(type) => onChange(type === 'organization' ? { type } : { type, value: '' })}
      />
      <Fields
        form={formOf(scope, change, (name) => (name === 'value' ? error : null))}
        list={[
          valueField(scope, known, listId),
          scope.type === 'branch' && {
            name: 'repository',
            label: 'Repository',
            description: 'Optional. Leave empty for all repositories.',
            maxLength: 255,
          },
        ]}
      />
      <datalist id={listId}>
        {known.map((option) => (
          <option key={option.value} value={option.value} />
        ))}
      </datalist>
    </Stack>
  );
}

const titles = {
  workflow: 'Workflow',
  team: 'Team',
  repository: 'Repository name',
  branch: 'Branch name',
};

const patterns = { repository: 'acme/api-*', branch: 'release/*' };

function valueField(
  { type, value = '', name }: Scope,
  known: readonly { value: string; label: string }[],
  list: string,
): Item<Scope> {
  if (type === 'organization') return null;
  const common = { name: 'value', label: titles[type], required: true } as const;
  if (type === 'repository' || type === 'branch') {
    const description = `A name, or a pattern such as ${patterns[type]}.`;
    return { ...common, description, maxLength: 255, list };
  }
  const kept = value !== '' && name ? [{ value, label: name }] : [];
  const others = known.filter((option) => option.value !== kept[0]?.value);
  return { ...common, kind: 'choice', none: 'Choose …', options: [...kept, ...others] };
}
