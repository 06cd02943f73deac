import { Button, Group, Select } from '@mantine/core';
import { SearchField } from '../../shown/SearchField.tsx';
import { statuses, type Filter } from './filter.ts';

type Props = {
  filter: Filter;
  repositories: string[];
  onChange: (changes: Record<string, string | null>, options?: { replace?: boolean }) => void;
};

export function Filters({ filter, repositories, onChange }: Props) {
  return (
    <Group align="flex-end" gap="sm">
      <SearchField
        label="Search"
        placeholder="Part of a name"
        value={filter.search}
        onSettled={(search) => onChange({ search }, { replace: true })}
      />
      <SearchField
        label="Repository"
        placeholder="owner/name"
        value={filter.repo}
        suggestions={repositories}
        onSettled={(repo) => onChange({ repo }, { replace: true })}
      />
      <Select
        label="Latest run"
        placeholder="Any status"
        value={filter.status}
        onChange={(status) => onChange({ status })}
        data={statuses.map((status) => ({ value: status, label: status.replaceAll('_', ' ') }))}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear latest run' }}
      />
      {filter.isNarrowed && (
        <Button variant="default" onClick={() => onChange({ search: null, repo: null, status: null })}>
          Show all
        </Button>
      )}
    </Group>
  );
}
