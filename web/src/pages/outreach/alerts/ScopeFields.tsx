import { Stack, TextInput } from '@mantine/core';
import { useId } from 'react';
import { useScopeValues } from '../../../alerts/queries.ts';
import type { Scope, ScopeType } from '../../../alerts/types.ts';
import { Choice } from '../../../ui/Choice.tsx';
import { scopeChoices } from './words.ts';

type Props = { scope: Scope; onChange: (scope: Scope) => void; error: string | null };

export function ScopeFields({ scope, onChange, error }: Props) {
  return (
    <Stack gap="xs">
      <Choice
        label="Watches"
        options={scopeChoices}
        value={scope.type}
        onChange={(type) => onChange(type === 'organization' ? { type } : { type, value: '' })}
      />
      <ScopeValue scope={scope} onChange={onChange} error={error} />
      {scope.type === 'branch' && (
        <TextInput
          label="Repository"
          description="Optional. Leave empty for all repositories."
          maxLength={255}
          value={scope.repository ?? ''}
          onChange={(event) => onChange({ ...scope, repository: event.currentTarget.value })}
        />
      )}
    </Stack>
  );
}

const hints: Partial<Record<ScopeType, string>> = {
  repository: 'A name, or a pattern such as acme/api-*.',
  branch: 'A name, or a pattern such as release/*.',
};

function ScopeValue({ scope, onChange, error }: Props) {
  const { type, value = '', name } = scope;
  const known = useScopeValues(type).data ?? [];
  const list = useId();
  if (type === 'organization') return null;
  if (type === 'workflow' || type === 'team') {
    const kept = value !== '' && name ? [{ value, label: name }] : [];
    const others = known.filter((option) => option.value !== kept[0]?.value);
    return (
      <Choice
        label={type === 'workflow' ? 'Workflow' : 'Team'}
        required
        none="Choose …"
        options={[...kept, ...others]}
        value={value === '' ? null : value}
        error={error}
        onChange={(chosen) => onChange({ type, value: chosen ?? '' })}
      />
    );
  }
  return (
    <>
      <TextInput
        label={type === 'repository' ? 'Repository name' : 'Branch name'}
        description={hints[type]}
        required
        maxLength={255}
        list={list}
        value={value}
        error={error}
        onChange={(event) => onChange({ ...scope, value: event.currentTarget.value })}
      />
      <datalist id={list}>
        {known.map((option) => (
          <option key={option.value} value={option.value} />
        ))}
      </datalist>
    </>
  );
}
