import { UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconInfoCircle } from '@tabler/icons-react';
import { Suspense, useRef, type ReactNode } from 'react';
import { Boundary } from './Boundary.tsx';
import { late } from './late.ts';
import { PlainDialog } from './PlainDialog.tsx';

// Loaded with the first explanation, so that pages do not wait for it.
const Explanation = late(() => import('./Explanation.tsx'), 'Explanation');

type Props = {
  value: ReactNode;
  label: string;
  children: ReactNode;
};

export function Explained({ value, label, children }: Props) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <UnstyledButton
        ref={button}
        onClick={toggle}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        title={label}
        className="explained"
      >
        {value}
        <IconInfoCircle size="0.62em" stroke={1.8} aria-hidden />
      </UnstyledButton>
      {isOpen && (
        <Boundary
          fallback={() => (
            <PlainDialog title={label} onClose={close}>
              {children}
            </PlainDialog>
          )}
        >
          <Suspense fallback={null}>
            <Explanation label={label} of={button} onClose={close}>
              {children}
            </Explanation>
          </Suspense>
        </Boundary>
      )}
    </>
  );
}
