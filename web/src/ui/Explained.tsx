import { Stack, UnstyledButton } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { LatePopover, usePopover } from './LatePopover.tsx';

type Props = {
  value: ReactNode;
  label: string;
  children: ReactNode;
};

export function Explained({ value, label, children }: Props) {
  const { isOpen, button, close, target } = usePopover();
  return (
    <>
      <UnstyledButton {...target} title={label} className="explained">
        {value}
        <IconInfoCircle size="0.62em" stroke={1.8} aria-hidden />
      </UnstyledButton>
      {isOpen && (
        <LatePopover label={label} of={button} width={320} withArrow onClose={close}>
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
        </LatePopover>
      )}
    </>
  );
}
