import { Button, Group } from '@mantine/core';
import { Choice } from '../../../ui/Choice.tsx';
import { SearchField } from '../../../ui/SearchField.tsx';
import { statusInWords } from '../../../ui/StatusBadge.tsx';
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
      <Choice
        label="Latest run"
        none="Any status"
        value={filter.status}
        onChange={(status) => onChange({ status })}
        options={statuses.map((status) => ({ value: status, label: statusInWords(status) }))}
      />
      {filter.isNarrowed && (
        <Button variant="default" onClick={() => onChange({ search: null, repo: null, status: null })}>
          Clear filters
        </Button>
      )}
    </Group>
  );
}
