import { ActionIcon, Skeleton, Text, TextInput, type TextInputProps } from '@mantine/core';
import { IconCalendar } from '@tabler/icons-react';
import { Suspense, useEffect, useRef, useState } from 'react';
import { Boundary } from '../ui/Boundary.tsx';
import { longDay } from '../ui/figures.ts';
import { late } from '../ui/late.ts';
import { dayFrom } from './dayText.ts';

const PopoverOpened = late(() => import('../ui/PopoverOpened.tsx'), 'PopoverOpened');
const DayCalendar = late(() => import('./DayCalendar.tsx'), 'DayCalendar');

type Passed = 'description' | 'error' | 'required' | 'w' | 'placeholder' | 'inputWrapperOrder';
type Props = Pick<TextInputProps, Passed> & {
  label: string;
  /** A UTC day such as `2026-11-21`, or empty. */
  value: string;
  min?: string;
  max?: string;
  /** Puts the label into the field, for a row of buttons. `bare` hides it, for a cell whose column names it. */
  isCompact?: boolean | 'bare';
  onChange: (day: string) => void;
};

const unreadable = 'Enter a day such as Nov 1, 2026';
const noCalendar = 'The calendar failed to load. Type the day.';

const shown = (day: string) => (day === '' ? '' : longDay(day));

/** A day that is typed or chosen in a calendar. The calendar loads with the first click. */
export function DayField({ label, value, min, max, isCompact = false, onChange, ...props }: Props) {
  const [draft, setDraft] = useState(shown(value));
  const [isOpen, setIsOpen] = useState(false);
  const [hasCalendar, setHasCalendar] = useState(true);
  const [isErrorShown, setErrorShown] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const isReadable = dayFrom(draft) !== null;
  // The form still has the last valid day, so it must not be sent.
  useEffect(() => input.current?.setCustomValidity(isReadable ? '' : unreadable), [isReadable]);
  // Keeps the text as typed while it means the same day.
  useEffect(() => setDraft((before) => (dayFrom(before) === value ? before : shown(value))), [value]);
  const choose = (day: string): void => {
    setIsOpen(false);
    setDraft(shown(day));
    onChange(day);
  };
  return (
    <TextInput
      {...props}
      ref={input}
      error={isErrorShown && !isReadable ? unreadable : hasCalendar ? props.error : noCalendar}
      {...(isCompact
        ? {
            'aria-label': label,
            size: 'xs',
            ...(isCompact !== 'bare' && {
              leftSectionWidth: 16 + label.length * 7,
              leftSection: (
                <Text size="xs" c="dimmed" aria-hidden>
                  {label}
                </Text>
              ),
            }),
          }
        : { label })}
      placeholder={props.placeholder ?? (isCompact ? 'any day' : 'Nov 1, 2026')}
      autoComplete="off"
      maxLength={20}
      value={draft}
      onChange={({ currentTarget }) => {
        const day = dayFrom(currentTarget.value);
        setDraft(currentTarget.value);
        if (day === null) return;
        setErrorShown(false);
        onChange(day);
      }}
      rightSectionWidth={isCompact ? 30 : 40}
      onInvalid={() => setErrorShown(true)}
      onBlur={() => (isReadable ? setDraft(shown(value)) : setErrorShown(true))}
      rightSection={
        <>
          <ActionIcon
            ref={button}
            variant="subtle"
            color="gray"
            size={isCompact ? 24 : 28}
            aria-label={`Choose: ${label}`}
            aria-haspopup="dialog"
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
          >
            <IconCalendar size={16} stroke={1.6} aria-hidden />
          </ActionIcon>
          {isOpen && (
            <Boundary fallback={() => null} onError={() => setHasCalendar(false)}>
              <Suspense fallback={null}>
                <PopoverOpened
                  label={label}
                  of={button}
                  width={264}
                  withArrow
                  onClose={() => setIsOpen(false)}
                >
                  <div data-autofocus tabIndex={-1}>
                    <Suspense fallback={<Skeleton height={256} width={240} />}>
                      <DayCalendar day={value || null} min={min} max={max} onChoose={choose} />
                    </Suspense>
                  </div>
                </PopoverOpened>
              </Suspense>
            </Boundary>
          )}
        </>
      }
    />
  );
}
