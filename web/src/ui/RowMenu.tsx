import { ActionIcon, type ActionIconProps } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { lazy, Suspense, useState, type ComponentPropsWithRef } from 'react';
import { Boundary } from './Boundary.tsx';

const load = () => import('./RowMenuOpened.tsx');
const RowMenuOpened = lazy(async () => ({ default: (await load()).RowMenuOpened }));

export type RowMenuProps = {
  /** What the actions apply to, for screen readers. */
  of: string;
  items: readonly { label: string; onClick: () => void; reason?: string | null }[];
};

/** One button for a row's actions. The menu loads with the first click. */
export function RowMenu({ of, items }: RowMenuProps) {
  const [isWanted, setWanted] = useState(false);
  const near = () => void load().catch(() => {}); // A click tries again.
  const plain = (
    <MoreButton
      of={of}
      aria-haspopup="menu"
      onPointerEnter={near}
      onFocus={near}
      onClick={() => setWanted(true)}
    />
  );
  if (!isWanted) return plain;
  return (
    <Boundary fallback={() => <MoreButton of={of} onClick={() => window.location.reload()} />}>
      <Suspense fallback={plain}>
        <RowMenuOpened of={of} items={items} />
      </Suspense>
    </Boundary>
  );
}

type ButtonProps = { of: string } & ActionIconProps & ComponentPropsWithRef<'button'>;

export function MoreButton({ of, ...props }: ButtonProps) {
  return (
    <ActionIcon
      {...props}
      variant="subtle"
      color="gray"
      size={28}
      className="row-icon"
      aria-label={`Actions for ${of}`}
    >
      <IconDots size={18} aria-hidden />
    </ActionIcon>
  );
}
