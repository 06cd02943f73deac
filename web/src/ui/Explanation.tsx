import { Popover, Stack } from '@mantine/core';
import { useLayoutEffect, type ReactNode, type Ref, type RefObject } from 'react';

type Props = {
  label: string;
  of: RefObject<HTMLElement | null>;
  width?: number;
  children: ReactNode;
  onClose: () => void;
};

export function Explanation({ label, of, width = 320, children, onClose }: Props) {
  const close = (): void => {
    onClose();
    of.current?.focus({ preventScroll: true });
  };
  return (
    <Popover
      opened
      onChange={close}
      width={width}
      withArrow
      shadow="md"
      position="bottom-start"
      trapFocus
      withRoles={false}
    >
      <Popover.Target>
        <Standing at={of} />
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

/** Gives a popover an existing element as its target. */
function Standing({ at, ref }: { at: RefObject<HTMLElement | null>; ref?: Ref<HTMLElement> }) {
  useLayoutEffect(() => {
    if (typeof ref === 'function') ref(at.current);
  }, [at, ref]);
  return null;
}
