import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Panel } from '../../../ui/Panel.tsx';
import { AllowedButton } from '../../../ui/rights.tsx';

type Props = {
  title: string;
  /** What the button says. */
  deed: string;
  /** Why it may not be pressed; null where it may. */
  reason: string | null;
  form: (close: () => void) => ReactNode;
  children: ReactNode;
};

/** A panel with a button that opens the form for what it shows. */
export function ChangeablePanel({ title, deed, reason, form, children }: Props) {
  const [isChanging, { open, close }] = useDisclosure();
  return (
    <Panel
      title={title}
      aside={
        <AllowedButton size="compact-md" variant="default" reason={reason} onClick={open}>
          {deed}
        </AllowedButton>
      }
    >
      {children}
      {isChanging && form(close)}
    </Panel>
  );
}
