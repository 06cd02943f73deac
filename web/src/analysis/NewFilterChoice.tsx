import { Stack, TextInput, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { takeKeys } from '../ui/earlyKeys.ts';
import { PlainForm } from '../ui/PlainForm.tsx';
import { Note } from '../ui/text.tsx';
import { FilterEditor } from './FilterEditor.tsx';
import type { Question } from './question.ts';
import { dimensionNames, dimensions, type Dimension } from './words.ts';

export type Props = {
  question: Question;
  today: string;
  names: ReadonlyMap<string, string>;
  settled: Dimension | undefined;
  hasProducts: boolean;
  onApply: (question: Question) => void;
};

/** First the dimension, then its values. Going back keeps the dialog open. */
export function NewFilterChoice({ settled, hasProducts, ...props }: Props) {
  const [kind, setKind] = useState<Dimension | null>(null);
  if (kind === null) return <Kinds settled={settled} hasProducts={hasProducts} onChoose={setKind} />;
  const { filters } = props.question;
  return (
    <FilterEditor
      {...props}
      dimension={kind}
      filter={filters.find(({ dimension, isNot }) => dimension === kind && !isNot) ?? null}
      onBack={() => setKind(null)}
    />
  );
}

type KindsProps = Pick<Props, 'settled' | 'hasProducts'> & { onChoose: (kind: Dimension) => void };

function Kinds({ settled, hasProducts, onChoose }: KindsProps) {
  const [search, setSearch] = useState('');
  const part = search.trim().toLowerCase();
  const found = dimensionNames.filter(
    (name) =>
      name !== settled &&
      (hasProducts || name !== 'product') &&
      dimensions[name].toLowerCase().includes(part),
  );
  return (
    <PlainForm aria-label="Kind of filter" onSubmit={() => found[0] && onChoose(found[0])}>
      <Stack gap="xs">
        <TextInput
          type="search"
          size="xs"
          autoFocus
          data-autofocus
          onFocus={() => {
            const early = takeKeys();
            if (early !== '') setSearch((before) => before + early);
          }}
          aria-label="Search filters"
          placeholder="Filter by …"
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <div className="filter-kinds">
          {found.map((name) => (
            <UnstyledButton key={name} type="button" fz="sm" onClick={() => onChoose(name)}>
              {dimensions[name]}
            </UnstyledButton>
          ))}
        </div>
        {found.length === 0 && <Note>No matching filter.</Note>}
      </Stack>
    </PlainForm>
  );
}
