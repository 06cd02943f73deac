import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';

type Props = { label: string; tabs: readonly { href: string; label: string }[] };

/** Pages of the same rank, as links on one line that scrolls if they do not fit. */
export function PageTabs({ label, tabs }: Props) {
  const [path] = useLocation();
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [path]);
  return (
    <nav ref={list} aria-label={label} className="tabs-list page-tabs not-printed">
      {tabs.map((tab) => (
        <Link key={tab.href} href={tab.href} {...(tab.href === path && { 'aria-current': 'page' as const })}>
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}
