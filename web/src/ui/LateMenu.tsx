import { Suspense, useState, type ComponentPropsWithRef, type ReactElement } from 'react';
import { Boundary } from './Boundary.tsx';
import { nearing } from './late.ts';

export type TargetProps = Pick<
  ComponentPropsWithRef<'button'>,
  'aria-haspopup' | 'onPointerEnter' | 'onFocus' | 'onClick' | 'ref'
>;

type Props = {
  load: () => Promise<unknown>;
  /** The button that opens the menu. */
  target: (props: TargetProps) => ReactElement;
  menu: ReactElement;
  /** Shown if the menu fails to load. */
  failed?: (close: () => void) => ReactElement;
  isReady?: boolean;
};

/** A menu that loads with the first click, so that pages do not wait for it. */
export function LateMenu({ load, target, menu, failed, isReady = true }: Props) {
  const [isWanted, setWanted] = useState(false);
  const plain = target({
    'aria-haspopup': 'menu',
    ...nearing(load),
    onClick: () => setWanted(true),
  });
  if (!isWanted || !isReady) return plain;
  return (
    <Boundary
      fallback={() => failed?.(() => setWanted(false)) ?? target({ onClick: () => window.location.reload() })}
    >
      <Suspense fallback={plain}>{menu}</Suspense>
    </Boundary>
  );
}
