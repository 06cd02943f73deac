import { ActionIcon, Skeleton, Text, TextInput, type TextInputProps } from '@mantine/core';
import { IconCalendar } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Boundary } from '../ui/Boundary.tsx';
import { isDay } from '../ui/useAddress.ts';

const Explanation = lazy(async () => ({ default: (await import('../ui/Explanation.tsx')).Explanation }));
const DayCalendar = lazy(async () => ({ default: (await import('./DayCalendar.tsx')).DayCalendar }));

type Props = Pick<TextInputProps, 'description' | 'error' | 'required' | 'w'> & {
  label: string;
  /** A UTC day such as `2026-11-21`, or empty. */
  value: string;
  min?: string;
  max?: string;
  /** In a row of buttons: its label is in it. */
  isCompact?: boolean;
  onChange: (day: string) => void;
};

/** A day, typed or chosen in a calendar, which loads with the first click. */
export function DayField({ label, value, min, max, isCompact = false, onChange, ...props }: Props) {
  const [draft, setDraft] = useState(value);
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => setDraft(value), [value]);
  const choose = (day: string): void => {
    setIsOpen(false);
    setDraft(day);
    onChange(day);
  };
  return (
    <TextInput
      {...props}
      {...(isCompact
        ? {
            ...{ 'aria-label': label, size: 'xs', leftSectionWidth: 16 + label.length * 7 },
            leftSection: (
              <Text size="xs" c="dimmed" aria-hidden>
                {label}
              </Text>
            ),
          }
        : { label })}
      placeholder={isCompact ? 'any day' : 'YYYY-MM-DD'}
      autoComplete="off"
      maxLength={10}
      value={draft}
      onChange={({ currentTarget }) => {
        const text = currentTarget.value.trim();
        setDraft(currentTarget.value);
        if (text === '' || isDay(text)) onChange(text);
      }}
      rightSectionWidth={isCompact ? 30 : 40}
      // The form still has the last day, so that is what it shows.
      onBlur={() => setDraft(value)}
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
            <Boundary fallback={() => null}>
              <Suspense fallback={null}>
                <Explanation label={label} of={button} width={264} onClose={() => setIsOpen(false)}>
                  <Suspense fallback={<Skeleton height={256} width={240} />}>
                    <DayCalendar day={value || null} min={min} max={max} onChoose={choose} />
                  </Suspense>
                </Explanation>
              </Suspense>
            </Boundary>
          )}
        </>
      }
    />
  );
}
