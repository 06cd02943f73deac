import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Panel } from '../../../ui/Panel.tsx';
import { SmallButton } from '../../../ui/rights.tsx';

type Props = {
  title: string;
  label: string;
  reason: string | null;
  form: (close: () => void) => ReactNode;
  children: ReactNode;
};

export function ChangeablePanel({ title, label, reason, form, children }: Props) {
  const [isChanging, { open, close }] = useDisclosure();
  return (
    <Panel
      title={title}
      aside={
        <SmallButton reason={reason} onClick={open}>
          {label}
        </SmallButton>
      }
    >
      {children}
      {isChanging && form(close)}
    </Panel>
  );
}
