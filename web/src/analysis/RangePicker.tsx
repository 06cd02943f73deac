import { ActionIcon, Button, Divider, Group, Popover, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Caret } from './Caret.tsx';
import { datesOf, datesTitle, presets, rangeOf, rangeTitle, shifted, type Range } from './ranges.ts';

type Props = { range: Range; today: string; onChange: (range: Range) => void };

export function RangePicker({ range, today, onChange }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const choose = (next: Range): void => {
    setIsOpen(false);
    onChange(next);
  };
  const title = rangeTitle(range);
  const dates = datesTitle(datesOf(range, today));
  return (
    <Group gap={0} wrap="nowrap" className="range">
      <Step label="Go to the previous period" to={shifted(range, today, -1)} onStep={onChange} isBack />
      <Popover
        opened={isOpen}
        onChange={setIsOpen}
        position="bottom-start"
        shadow="md"
        trapFocus
        returnFocus
        withRoles={false}
      >
        <Popover.Target>
          <Button
            variant="default"
            size="xs"
            px={10}
            className="range-title"
            rightSection={<Caret />}
            aria-haspopup="dialog"
            aria-expanded={isOpen}
            aria-description={dates === title ? undefined : `${dates}, UTC`}
            onClick={() => setIsOpen(!isOpen)}
          >
            {title}
          </Button>
        </Popover.Target>
        <Popover.Dropdown role="dialog" aria-label="Period" p="xs" maw="calc(100vw - 32px)">
          <Stack gap={2}>
            {presets().map((preset) => (
              <Button
                key={rangeTitle(preset)}
                variant={rangeTitle(preset) === title ? 'light' : 'subtle'}
                color={rangeTitle(preset) === title ? 'teal' : 'gray'}
                c="var(--mantine-color-text)"
                size="xs"
                justify="space-between"
                aria-pressed={rangeTitle(preset) === title}
                onClick={() => choose(preset)}
              >
                {rangeTitle(preset)}
              </Button>
            ))}
          </Stack>
          <Divider my="xs" />
          <CustomDates key={dates} range={range} today={today} onChange={choose} />
        </Popover.Dropdown>
      </Popover>
      <Step label="Go to the next period" to={shifted(range, today, 1)} onStep={onChange} />
    </Group>
  );
}

type StepProps<T> = { label: string; to: T | null; onStep: (to: T) => void; isBack?: boolean };

export function Step<T>({ label, to, onStep, isBack = false }: StepProps<T>) {
  return (
    <ActionIcon
      variant="default"
      size={30}
      aria-label={label}
      className={isBack ? 'range-back' : 'range-on'}
      {...(to !== null ? {} : { 'data-disabled': true, 'aria-disabled': true })}
      onClick={() => to !== null && onStep(to)}
    >
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        <path
          d={isBack ? 'M7.5 2.5 4 6l3.5 3.5' : 'M4.5 2.5 8 6 4.5 9.5'}
          {...{ fill: 'none', stroke: 'currentColor', strokeWidth: 1.6, strokeLinecap: 'round' }}
        />
      </svg>
    </ActionIcon>
  );
}

function CustomDates({ range, today, onChange }: Props) {
  const [dates, setDates] = useState(() => datesOf(range, today));
  const fault =
    !dates.from || !dates.to
      ? 'Enter both days.'
      : dates.from > dates.to
        ? 'The first day must not be after the last day.'
        : null;
  const field = (name: 'from' | 'to', label: string) => (
    <TextInput
      type="date"
      size="xs"
      label={label}
      value={dates[name]}
      max={today}
      onChange={({ currentTarget }) => setDates({ ...dates, [name]: currentTarget.value })}
    />
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!fault) onChange(rangeOf(dates, today));
      }}
    >
      <Stack gap="xs">
        <Group gap="xs" grow>
          {field('from', 'First day (UTC)')}
          {field('to', 'Last day (UTC)')}
        </Group>
        <Button type="submit" size="xs" {...(fault ? { 'data-disabled': true, 'aria-disabled': true } : {})}>
          {fault ?? 'Show these days'}
        </Button>
      </Stack>
    </form>
  );
}
