import { Popover, type PopoverDropdownProps, type PopoverProps } from '@mantine/core';
import { useLayoutEffect, type ReactNode, type Ref, type RefObject } from 'react';

export type Props = Pick<PopoverProps, 'width' | 'withArrow'> &
  Pick<PopoverDropdownProps, 'p' | 'className'> & {
    label: string;
    of: RefObject<HTMLElement | null>;
    children: ReactNode;
    onClose: () => void;
  };

export function PopoverOpened({ label, of, p = 'md', className = '', children, onClose, ...look }: Props) {
  const close = (): void => {
    onClose();
    of.current?.focus({ preventScroll: true });
  };
  return (
    <Popover
      opened
      onChange={close}
      shadow="md"
      position="bottom-start"
      trapFocus
      withRoles={false}
      {...look}
    >
      <Popover.Target>
        <Standing at={of} />
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={label} maw="calc(100vw - 32px)" p={p} className={className}>
        {children}
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
