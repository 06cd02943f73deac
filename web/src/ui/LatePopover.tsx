import { Suspense, useRef, useState, type RefObject } from 'react';
import { Boundary } from './Boundary.tsx';
import { late, nearing } from './late.ts';
import { PlainDialog } from './PlainDialog.tsx';
import type { Props } from './PopoverOpened.tsx';

const load = () => import('./PopoverOpened.tsx');
const PopoverOpened = late(load, 'PopoverOpened');

/** A dialog beside its button. It loads with the first click, so that pages do not wait for it. */
export function LatePopover({ children, ...props }: Props) {
  const content = (
    <Boundary fallback={() => 'This part failed to load. Reload the page.'}>{children}</Boundary>
  );
  return (
    <Boundary
      fallback={() => (
        <PlainDialog title={props.label} onClose={props.onClose}>
          {content}
        </PlainDialog>
      )}
    >
      <Suspense fallback={null}>
        <PopoverOpened {...props}>{content}</PopoverOpened>
      </Suspense>
    </Boundary>
  );
}

type Opening = {
  /** What is in the popover. */
  loadContent?: () => Promise<unknown>;
  button?: RefObject<HTMLButtonElement | null>;
};

/** Whether a popover is open, and the properties of its button. */
export function usePopover({ loadContent, button: given }: Opening = {}) {
  const [isOpen, setOpen] = useState(false);
  const own = useRef<HTMLButtonElement>(null);
  const button = given ?? own;
  return {
    isOpen,
    button,
    close: () => setOpen(false),
    target: {
      ref: button,
      'aria-haspopup': 'dialog',
      'aria-expanded': isOpen,
      onClick: () => setOpen(!isOpen),
      // Closes the dialog before it has the focus.
      onKeyDown: ({ key }: { key: string }) => key === 'Escape' && setOpen(false),
      ...nearing(() => Promise.all([load(), loadContent?.()])),
    },
  } as const;
}
