import { Popover, Stack, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';

type Props = {
  /** What is explained, as its button shows it. */
  value: ReactNode;
  /** What the button does, such as `How the cost per run comes about`. */
  label: string;
  children: ReactNode;
};

/** Something shown that tells, when it is pressed, how it comes about. */
export function Explained({ value, label, children }: Props) {
  return (
    <Popover width={320} withArrow shadow="md" position="bottom-start" trapFocus withRoles={false}>
      <Popover.Target>
        <UnstyledButton
          aria-haspopup="dialog"
          title={label}
          style={{ font: 'inherit', textDecoration: 'underline dotted', textUnderlineOffset: '0.2em' }}
        >
          {value}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={label} maw="calc(100vw - 32px)">
        <Stack
          gap="xs"
          fz="sm"
          lh={1.5}
          fw={400}
          style={{ whiteSpace: 'normal' }}
          data-autofocus
          tabIndex={-1}
        >
          {children}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
