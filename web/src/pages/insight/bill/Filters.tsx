import { Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { SearchField } from '../../../ui/SearchField.tsx';
import { groupings, groupingWords, isNarrowed, type Filter } from './filter.ts';

type Props = {
  filter: Filter;
  period: { start: string; end: string } | null;
  onChange: (changes: Record<string, string | null>, options?: { replace?: boolean }) => void;
};

export function Filters({ filter, period, onChange }: Props) {
  const day = (name: 'from' | 'to', label: string, otherwise: string) => (
    <TextInput
      type="date"
      label={label}
      value={filter[name] || otherwise}
      onChange={(event) => onChange({ [name]: event.currentTarget.value }, { replace: true })}
    />
  );
  return (
    <Group align="flex-end" gap="sm">
      {day('from', 'From (UTC)', period?.start ?? '')}
      {day('to', 'To (UTC)', period?.end ?? '')}
      <SearchField
        label="Repository"
        placeholder="Part of its name"
        value={filter.repository}
        onSettled={(repository) => onChange({ repository }, { replace: true })}
      />
      <SearchField
        label="SKU"
        placeholder="linux_4_core"
        value={filter.sku}
        onSettled={(sku) => onChange({ sku }, { replace: true })}
      />
      <Stack gap={2}>
        <Text size="sm" fw={500} id="bill-grouping">
          Group by
        </Text>
        <SegmentedControl
          size="xs"
          aria-labelledby="bill-grouping"
          value={filter.by}
          onChange={(by) => onChange({ by })}
          data={groupings.map((value) => ({ value, label: groupingWords[value] }))}
        />
      </Stack>
      {isNarrowed(filter) && (
        <Button
          variant="default"
          onClick={() => onChange({ from: null, to: null, sku: null, repository: null })}
        >
          Clear filters
        </Button>
      )}
    </Group>
  );
}
