import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Choice } from '../../../ui/Choice.tsx';
import { runnerKindsQuery } from './queries.ts';
import { kindChoices } from './words.ts';

type Props = { priced: readonly string[]; onAdd: (kind: { kind: string; title: string }) => void };

export function AddKind({ priced, onAdd }: Props) {
  const kinds = useQuery(runnerKindsQuery);
  const [chosen, setChosen] = useState<string | null>(null);
  const unpriced = kindChoices(kinds.data ?? []).filter(({ value }) => !priced.includes(value));
  const kind = unpriced.find(({ value }) => value === chosen);
  if (unpriced.length === 0) return null;
  return (
    <Group align="flex-end" gap="xs">
      <Choice
        label="Runners without a price"
        description="Their jobs count as $0."
        options={unpriced}
        none="Choose one"
        value={kind?.value ?? null}
        onChange={setChosen}
      />
      <Button
        variant="default"
        disabled={!kind}
        onClick={() => kind && onAdd({ kind: kind.value, title: kind.title })}
      >
        Add price
      </Button>
    </Group>
  );
}
