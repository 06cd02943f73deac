import { Button, Popover, Stack, TextInput, UnstyledButton } from '@mantine/core';
import { useState, type RefObject } from 'react';
import { PlainForm } from '../ui/PlainForm.tsx';
import { Note } from '../ui/text.tsx';
import { FilterEditor, filterPopover } from './FilterEditor.tsx';
import type { Question } from './question.ts';
import { dimensionNames, dimensions, type Dimension } from './words.ts';

type Props = {
  question: Question;
  today: string;
  names: ReadonlyMap<string, string>;
  button: RefObject<HTMLButtonElement | null>;
  settled: Dimension | undefined;
  hasProducts: boolean;
  onChange: (question: Question) => void;
};

/** First the dimension, then its values. Going back keeps the dialog open. */
export function NewFilter({ question, today, names, button, settled, hasProducts, onChange }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const [kind, setKind] = useState<Dimension | null>(null);
  const open = (next: boolean): void => {
    if (next) setKind(null);
    setIsOpen(next);
  };
  return (
    <Popover opened={isOpen} onChange={open} {...filterPopover}>
      <Popover.Target>
        <Button
          ref={button}
          size="xs"
          variant="default"
          px={10}
          className="add-filter"
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          onClick={() => open(!isOpen)}
        >
          + Filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label="New filter" className="filter-editor">
        {kind === null ? (
          <Kinds settled={settled} hasProducts={hasProducts} onChoose={setKind} />
        ) : (
          <FilterEditor
            question={question}
            today={today}
            names={names}
            dimension={kind}
            filter={question.filters.find(({ dimension, isNot }) => dimension === kind && !isNot) ?? null}
            onBack={() => setKind(null)}
            onApply={(next) => {
              setIsOpen(false);
              onChange(next);
            }}
          />
        )}
      </Popover.Dropdown>
    </Popover>
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
