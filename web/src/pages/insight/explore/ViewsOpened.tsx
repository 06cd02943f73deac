import { Menu } from '@mantine/core';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import type { Answer } from '../../../api/query.ts';
import type { TargetProps } from '../../../ui/LateMenu.tsx';
import { MenuOpened } from '../../../ui/MenuOpened.tsx';
import { Note } from '../../../ui/text.tsx';

export type View = Answer<'/api/v1/views'>[number];

export type Open = { kind: 'save' } | { kind: 'edit' | 'delete'; view: View };

type Props = ActionsProps & {
  target: (props: TargetProps) => ReactElement;
  /** Undefined while they load. */
  views: View[] | undefined;
};

export function ViewsOpened({ target, views, ...props }: Props) {
  const { current } = props;
  const ofGroup = (areShared: boolean) =>
    (views ?? []).filter(({ is_shared: isShared }) => isShared === areShared);
  return (
    <MenuOpened target={target} width={280} maxHeight="60vh">
      <Listed title="Yours" views={ofGroup(false)} current={current} />
      <Listed title="Shared" views={ofGroup(true)} current={current} />
      {views?.length === 0 && (
        <Note px="sm" py="xs">
          No saved views yet. Save this one to come back to it.
        </Note>
      )}
      <Actions {...props} />
    </MenuOpened>
  );
}

type ActionsProps = {
  current: View | undefined;
  whyNot: string | null;
  onOpen: (open: Open) => void;
};

function Actions({ current, whyNot, onOpen }: ActionsProps) {
  return (
    <>
      <Menu.Divider />
      <Menu.Item disabled={whyNot !== null} onClick={() => onOpen({ kind: 'save' })}>
        Save this view …
      </Menu.Item>
      {current?.can_change && (
        <>
          <Menu.Item disabled={whyNot !== null} onClick={() => onOpen({ kind: 'edit', view: current })}>
            Rename or share “{current.name}” …
          </Menu.Item>
          <Menu.Item disabled={whyNot !== null} onClick={() => onOpen({ kind: 'delete', view: current })}>
            Delete “{current.name}”
          </Menu.Item>
        </>
      )}
      {whyNot !== null && (
        <Note size="xs" px="sm" pb="xs">
          {whyNot}
        </Note>
      )}
    </>
  );
}

type ListedProps = { title: string; views: View[]; current: View | undefined };

function Listed({ title, views, current }: ListedProps) {
  if (views.length === 0) return null;
  return (
    <>
      <Menu.Label>{title}</Menu.Label>
      {views.map((view) => (
        <Menu.Item
          key={view.id}
          component={Link}
          href={`/explore?${view.query}`}
          aria-current={view === current ? 'true' : undefined}
          fw={view === current ? 600 : undefined}
        >
          {view.name}
          {view.is_shared && <Note size="xs">by {view.author}</Note>}
        </Menu.Item>
      ))}
    </>
  );
}
