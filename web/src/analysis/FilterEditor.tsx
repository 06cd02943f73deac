import { ActionIcon, Button, Checkbox, Group, Loader, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconChevronLeft } from '@tabler/icons-react';
import { useState } from 'react';
import { Failed } from '../ui/Loaded.tsx';
import { PlainForm } from '../ui/PlainForm.tsx';
import { Segments } from '../ui/Segments.tsx';
import { Note } from '../ui/text.tsx';
import { useCosts, type Costs } from './queries.ts';
import {
  filterValueTitle,
  literal,
  patternOf,
  queryOf,
  withFilter,
  type CostsQuery,
  type Filter,
  type Question,
} from './question.ts';
import { dimensions, metrics, ofJobsOnly, valueTitle, type Dimension } from './words.ts';

type Props = {
  question: Question;
  today: string;
  dimension: Dimension;
  filter: Filter | null;
  names: ReadonlyMap<string, string>;
  onBack?: () => void;
  onApply: (question: Question) => void;
};

const maxValues = 100;

/** Lets people choose values of a dimension, the largest first. */
export function FilterEditor({ question, today, dimension, filter, names, onBack, onApply }: Props) {
  const [isNot, setIsNot] = useState(filter?.isNot ?? false);
  const [chosen, setChosen] = useState<readonly string[]>(filter?.values ?? []);
  const [search, setSearch] = useState('');
  const values = useFound(valuesAsked(question, today, dimension, filter), dimension, search);
  return (
    <PlainForm
      aria-label={`Filter by ${dimensions[dimension]}`}
      onSubmit={() => onApply(withFilter(question, filter, { dimension, isNot, values: [...chosen] }))}
    >
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Group gap={2} wrap="nowrap">
            {onBack && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                ml={-6}
                aria-label="All filters"
                onClick={onBack}
              >
                <IconChevronLeft size={16} stroke={1.75} aria-hidden />
              </ActionIcon>
            )}
            <Text size="sm" fw={600}>
              {dimensions[dimension]}
            </Text>
          </Group>
          <Segments
            label="Condition"
            options={{ is: 'is', not: 'is not' }}
            value={isNot ? 'not' : 'is'}
            onChange={(value) => setIsNot(value === 'not')}
          />
        </Group>
        <TextInput
          type="search"
          size="xs"
          autoFocus
          data-autofocus
          aria-label={`Search ${dimensions[dimension]}`}
          placeholder="Search, * for any characters"
          value={search}
          rightSection={values.isLoading ? <Loader size={12} /> : null}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <Values
          values={values}
          dimension={dimension}
          names={names}
          chosen={chosen}
          search={search}
          onChoose={setChosen}
        />
        <Group justify="space-between">
          {filter ? (
            <Button size="xs" variant="default" onClick={() => onApply(withFilter(question, filter, null))}>
              Remove filter
            </Button>
          ) : (
            <span />
          )}
          <Button type="submit" size="xs" disabled={chosen.length === 0}>
            Apply
          </Button>
        </Group>
      </Stack>
    </PlainForm>
  );
}

type Found = { text: string; title: string; amount: string };

/** Searches the largest values in the browser, and asks the server if there are more. */
function useFound(query: CostsQuery, dimension: Dimension, search: string) {
  const [settled] = useDebouncedValue(search.trim(), 250);
  const largest = useCosts(query);
  const isCut = (largest.data?.other?.groups ?? 0) > 0;
  const pattern = settled.includes('*') ? settled : `*${settled}*`;
  const more = useCosts({ ...query, [dimension]: [pattern] }, { enabled: isCut && settled !== '' });
  const listed = valuesIn(largest.data);
  const beyond = search && isCut ? valuesIn(more.data) : [];
  const found = [
    ...listed.filter(({ title }) => has(title, search)),
    ...beyond.filter(({ text }) => !listed.some((each) => each.text === text)),
  ];
  const isLoading = largest.isFetching || more.isFetching;
  return { found, isCut, isLoading, isKnown: largest.data !== undefined, error: largest.error ?? more.error };
}

type ValuesProps = Pick<Props, 'dimension' | 'names'> & {
  values: ReturnType<typeof useFound>;
  chosen: readonly string[];
  search: string;
  onChoose: (chosen: string[]) => void;
};

function Values({ values, dimension, names, chosen, search, onChoose }: ValuesProps) {
  const { found, isCut, isKnown, error } = values;
  const pattern = patternOf(dimension, search, found);
  // Chosen values stay in the list even if they have no cost in the period.
  const missing = search ? [] : chosen.filter((value) => !found.some(({ text }) => text === value));
  const all: Found[] = [
    ...(pattern === null ? [] : [{ text: pattern, title: `Matches “${pattern}”`, amount: '' }]),
    ...missing.map((text) => ({ text, title: filterValueTitle(dimension, text, names), amount: '' })),
    ...found,
  ];
  return (
    <Stack gap={0} className="filter-values" role="group" aria-label="Values">
      {all.map(({ text, title, amount }) => (
        <Value
          key={text}
          label={title}
          amount={amount}
          isChosen={chosen.includes(text)}
          onToggle={() =>
            onChoose(chosen.includes(text) ? chosen.filter((each) => each !== text) : [...chosen, text])
          }
        />
      ))}
      {error && <Failed error={error} />}
      {isKnown && all.length === 0 && <Note>No values in this period.</Note>}
      {isCut && !search && <Note size="xs">Search to find more.</Note>}
    </Stack>
  );
}

type ValueProps = { label: string; amount: string; isChosen: boolean; onToggle: () => void };

function Value({ label, amount, isChosen, onToggle }: ValueProps) {
  return (
    <Checkbox
      size="xs"
      label={
        <>
          <span>{label}</span>
          <Note span size="xs" className="number">
            {amount}
          </Note>
        </>
      }
      aria-label={label}
      checked={isChosen}
      onChange={onToggle}
      className="filter-value"
    />
  );
}

function has(name: string, part: string): boolean {
  const text = part.trim().toLowerCase();
  return text.split('*').every((piece) => name.toLowerCase().includes(piece));
}

/** All other filters apply, so that every choice gives a result. */
function valuesAsked(question: Question, today: string, dimension: Dimension, filter: Filter | null) {
  const { metric } = question;
  const asked: Question = {
    ...(filter ? withFilter(question, filter, null) : question),
    groupBy: [dimension],
    metric: metric === 'runs' && ofJobsOnly.includes(dimension) ? 'jobs' : metric,
    compare: 'none',
    sort: '-value',
    limit: maxValues,
  };
  return queryOf(asked, today, { granularity: 'total' });
}

function valuesIn(costs: Costs | undefined): Found[] {
  return (costs?.groups ?? []).map(({ by: [each], value }) => ({
    text: literal(each!.value),
    title: valueTitle(each!.dimension, each!.name),
    amount: metrics[costs!.metric].cell(value),
  }));
}
