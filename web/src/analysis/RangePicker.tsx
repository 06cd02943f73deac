import { ActionIcon, Button, Group, Skeleton, Text, UnstyledButton } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { Suspense } from 'react';
import { Boundary } from '../ui/Boundary.tsx';
import { late } from '../ui/late.ts';
import { LatePopover, usePopover } from '../ui/LatePopover.tsx';
import { Caret } from './Caret.tsx';
import { datesOf, datesTitle, presets, rangeOf, rangeTitle, shifted, type Range } from './ranges.ts';

const loadCalendar = () => import('./RangeCalendar.tsx');
const RangeCalendar = late(loadCalendar, 'RangeCalendar');

type Props = { range: Range; today: string; onChange: (range: Range) => void };

export function RangePicker({ range, today, onChange }: Props) {
  const { isOpen, button, close, target } = usePopover({ loadContent: loadCalendar });
  const choose = (next: Range): void => {
    close();
    button.current?.focus({ preventScroll: true });
    onChange(next);
  };
  const title = rangeTitle(range);
  const dates = datesTitle(datesOf(range, today));
  return (
    <Group gap={0} wrap="nowrap" className="range">
      <Step label="Go to the previous period" to={shifted(range, today, -1)} onStep={onChange} isBack />
      <Button
        {...target}
        variant="default"
        size="xs"
        px={10}
        className="range-title"
        rightSection={<Caret />}
        aria-description={dates === title ? undefined : `${dates}, UTC`}
      >
        {title}
      </Button>
      {isOpen && (
        <LatePopover label="Period" of={button} p="xs" className="range-choice" onClose={close}>
          <div className="range-presets">
            {presets().map((preset) => {
              const isChosen = rangeTitle(preset) === title;
              return (
                <UnstyledButton
                  key={rangeTitle(preset)}
                  fz="sm"
                  aria-pressed={isChosen}
                  {...(isChosen && { 'data-autofocus': true })}
                  onClick={() => choose(preset)}
                >
                  {rangeTitle(preset)}
                  {isChosen && <IconCheck size={14} aria-hidden="true" />}
                </UnstyledButton>
              );
            })}
          </div>
          <Boundary fallback={() => <Text size="sm">The calendar did not load. Reload the page.</Text>}>
            <Suspense fallback={<Skeleton height={312} className="range-calendar range-months" />}>
              <RangeCalendar
                key={dates}
                dates={datesOf(range, today)}
                today={today}
                onChoose={(next) => choose(rangeOf(next, today))}
              />
            </Suspense>
          </Boundary>
        </LatePopover>
      )}
      <Step label="Go to the next period" to={shifted(range, today, 1)} onStep={onChange} />
    </Group>
  );
}

type StepProps<T> = { label: string; to: T | null; onStep: (to: T) => void; isBack?: boolean };

export function Step<T>({ label, to, onStep, isBack = false }: StepProps<T>) {
  return (
    <ActionIcon
      variant="default"
      size={32}
      aria-label={label}
      className={isBack ? 'range-back' : 'range-on'}
      {...(to !== null ? {} : { 'data-disabled': true, 'aria-disabled': true })}
      onClick={() => to !== null && onStep(to)}
    >
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        <path
          d={isBack ? 'M7.5 2.5 4 6l3.5 3.5' : 'M4.5 2.5 8 6 4.5 9.5'}
          fill="none"
          stroke="currentColor"
          strokeWidth={1.6}
          strokeLinecap="round"
        />
      </svg>
    </ActionIcon>
  );
}
