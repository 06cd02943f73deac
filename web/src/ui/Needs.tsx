import type { ReactNode } from 'react';
import { Empty } from './Panel.tsx';
import { useWhyNot, type Role } from './rights.tsx';

type Props = { role: Role; scope: string | null; children: ReactNode };

export function Needs({ role, scope, children }: Props) {
  const reason = useWhyNot()({ role, scope });
  if (reason === null) return <>{children}</>;
  return <Empty title="No access">{reason}</Empty>;
}
