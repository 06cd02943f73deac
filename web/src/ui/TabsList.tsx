import { Tabs, type TabsListProps } from '@mantine/core';
import { useEffect, useRef } from 'react';

type Props = TabsListProps & {
  open: string | null;
};

/** Tabs on one line that scrolls if they do not fit. */
export function TabsList({ open, className = '', children, ...props }: Props) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[role=tab][data-active]');
    if (!list.current || !tab) return;
    const middle = tab.offsetLeft + tab.offsetWidth / 2;
    list.current.scrollTo({ left: middle - list.current.clientWidth / 2 });
  }, [open]);
  return (
    <Tabs.List ref={list} className={`tabs-list ${className}`} {...props}>
      {children}
    </Tabs.List>
  );
}
