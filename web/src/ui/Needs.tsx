import type { ReactNode } from 'react';
import { Empty } from './Empty.tsx';
import { useWhyNot, type Role } from './rights.tsx';

type Props = { role: Role; scope: string | null; title: string; children: ReactNode };

export function Needs({ role, scope, title, children }: Props) {
  const reason = useWhyNot()({ role, scope });
  if (reason === null) return <>{children}</>;
  return <Empty title={title}>{reason}</Empty>;
}
