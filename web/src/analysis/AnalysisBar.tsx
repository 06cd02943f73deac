import { Button, CloseButton, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { useRef, type RefObject } from 'react';
import { late } from '../ui/late.ts';
import { LatePopover, usePopover } from '../ui/LatePopover.tsx';
import './analysis.css';
import { ComparePick } from './ComparePick.tsx';
import { NewFilter } from './NewFilter.tsx';
import { Pick } from './Pick.tsx';
import { useValueNames } from './queries.ts';
import {
  defaultRows,
  filterValueTitle,
  granularityOf,
  withFilter,
  type Filter,
  type Question,
} from './question.ts';
import { RangePicker } from './RangePicker.tsx';
import {
  dimensionNames,
  dimensions,
  dimensionTitle,
  granularities,
  metrics,
  ofJobsOnly,
  type Dimension,
  type Granularity,
  type Metric,
} from './words.ts';

const loadEditor = () => import('./FilterEditor.tsx');
const FilterEditor = late(loadEditor, 'FilterEditor');

type Props = { question: Question; today: string; onChange: (question: Question) => void };

type BarProps = Props & {
  measures?: readonly Metric[];
  /** The dimension that the page is about. Its filter is not shown. */
  settled?: Dimension;
  /** Whether the reader can choose the groups. */
  isGrouped?: boolean;
  isCompared?: boolean;
  hasInterval?: boolean;
  /** Whether all figures of the page come from the cost query, which alone knows products. */
  hasProducts?: boolean;
  /** The second group that the page uses if none is chosen. */
  thenBy?: string | undefined;
};

const allMeasures = Object.keys(metrics) as Metric[];

/** The query of an analysis page: range, measure, groups and filters. All of it is in the address. */
export function AnalysisBar({
  question,
  today,
  onChange,
  measures = allMeasures,
  isGrouped = true,
  isCompared = true,
  hasInterval = isGrouped,
  hasProducts = false,
  settled,
  thenBy,
}: BarProps) {
  const set = (changes: Partial<Question>) => onChange({ ...question, ...changes });
  const { range, metric, compare, groupBy, filters } = question;
  const names = useValueNames(question);
  const shown = filters.filter(({ dimension }) => dimension !== settled);
  // Receives the focus when the focused filter disappears.
  const addButton = useRef<HTMLButtonElement>(null);
  const isOfJobs = [...groupBy, ...filters.map(({ dimension }) => dimension)].some((name) =>
    ofJobsOnly.includes(name),
  );
  return (
    <Stack gap="xs" component="section" aria-label="Question" className="analysis-bar">
      <Group gap="xs" className="bar-row">
        <RangePicker range={range} today={today} onChange={(next) => set({ range: next })} />
        {isCompared && (
          <ComparePick
            range={range}
            today={today}
            value={compare}
            onChange={(value) => set({ compare: value })}
          />
        )}
        {measures.length > 1 && (
          <Pick
            label="Measure"
            value={metric}
            options={measures.map((value) => ({
              value,
              title: metrics[value].title,
              isDisabled: value === 'runs' && isOfJobs,
            }))}
            onChange={(value: Metric) => set({ metric: value })}
          />
        )}
        {isGrouped && <GroupBy question={question} thenBy={thenBy} onChange={onChange} />}
        {hasInterval && (
          <Pick
            label="Interval"
            value={granularityOf(question, today)}
            options={granularities}
            onChange={(value: Granularity) => set({ granularity: value })}
          />
        )}
        <NewFilter
          question={question}
          today={today}
          names={names}
          settled={settled}
          hasProducts={hasProducts}
          onChange={onChange}
          button={addButton}
        />
      </Group>
      {shown.length > 0 && (
        <Filters
          question={question}
          shown={shown}
          today={today}
          names={names}
          addButton={addButton}
          onChange={onChange}
        />
      )}
    </Stack>
  );
}

function GroupBy({ question, thenBy, onChange }: Omit<BarProps, 'today'>) {
  const { groupBy, metric } = question;
  const [first = 'none', second = 'none'] = groupBy;
  const set = (...names: string[]) =>
    onChange({ ...question, groupBy: names.filter((name) => name !== 'none'), limit: defaultRows });
  const optionsFor = (taken: string, none = 'None') => [
    { value: 'none', title: none },
    ...dimensionNames
      .filter((name) => name !== taken)
      .map((value) => ({
        value: value as string,
        title: dimensions[value],
        isDisabled: metric === 'runs' && ofJobsOnly.includes(value),
      })),
  ];
  return (
    <>
      <Pick
        label="Group by"
        value={first}
        options={withUnknown(optionsFor(second), first)}
        onChange={(name) => set(name, second)}
      />
      {first !== 'none' && (
        <Pick
          label="Then by"
          value={second}
          options={withUnknown(optionsFor(first, thenBy && `Auto: ${dimensionTitle(thenBy)}`), second)}
          onChange={(name) => set(first, name)}
        />
      )}
    </>
  );
}

function withUnknown(options: { value: string; title: string }[], value: string) {
  const isKnown = options.some((option) => option.value === value);
  return isKnown ? options : [...options, { value, title: dimensionTitle(value) }];
}

type FilterProps = Props & {
  names: ReadonlyMap<string, string>;
  addButton: RefObject<HTMLButtonElement | null>;
};

function Filters({ question, shown, ...props }: FilterProps & { shown: readonly Filter[] }) {
  return (
    <Group gap={6}>
      {shown.map((filter) => (
        <FilterChip key={question.filters.indexOf(filter)} question={question} filter={filter} {...props} />
      ))}
      {shown.length > 1 && (
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => {
            const filters = question.filters.filter((filter) => !shown.includes(filter));
            props.onChange({ ...question, filters, limit: defaultRows });
          }}
        >
          Clear filters
        </Button>
      )}
    </Group>
  );
}

type ChipProps = FilterProps & { filter: Filter };

function FilterChip({ question, today, filter, names, addButton, onChange }: ChipProps) {
  const { isOpen, button: chip, close, target } = usePopover({ loadContent: loadEditor });
  const { dimension, isNot, values } = filter;
  const title = dimensions[dimension];
  const listed = values.map((value) => filterValueTitle(dimension, value, names));
  const text = listed.length > 2 ? `${listed[0]} and ${listed.length - 1} more` : listed.join(' or ');
  return (
    <Group gap={0} wrap="nowrap" className="filter-chip">
      <UnstyledButton
        {...target}
        fz="sm"
        className="filter-text"
        aria-description={listed.length > 2 ? listed.join(', ') : undefined}
      >
        <Text span inherit c="dimmed">
          {title} {isNot ? 'is not' : 'is'}
        </Text>{' '}
        <Text span inherit fw={600}>
          {text}
        </Text>
      </UnstyledButton>
      {isOpen && (
        <LatePopover
          label={`Filter: ${title}`}
          of={chip}
          width={320}
          className="filter-editor"
          onClose={close}
        >
          <FilterEditor
            question={question}
            today={today}
            dimension={dimension}
            filter={filter}
            names={names}
            onApply={(next) => {
              close();
              // The chip may go.
              const isKept = next.filters.length === question.filters.length;
              (isKept ? chip : addButton).current?.focus();
              onChange(next);
            }}
          />
        </LatePopover>
      )}
      <CloseButton
        size="sm"
        aria-label={`Remove filter: ${title} ${isNot ? 'is not' : 'is'} ${text}`}
        onClick={() => {
          onChange(withFilter(question, filter, null));
          addButton.current?.focus();
        }}
      />
    </Group>
  );
}
