import { ActionIcon, Group, Text, UnstyledButton } from '@mantine/core';
import {
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconSearch,
  IconX,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { areaGroups, isIn, type Area } from './areas.ts';
import { commandKey } from './keys.ts';
import { areaLetters } from './letterKeys.ts';
import { Logo } from './Logo.tsx';

type Props = {
  /** Shown above the search, for people with several organizations. */
  switcher: ReactNode;
  isRail: boolean;
  isDrawer: boolean;
  onRail: () => void;
  onClose: () => void;
  onSearch: () => void;
  onSearchNear: () => void;
};

export function Navigation({ switcher, isRail, isDrawer, onRail, onClose, onSearch, onSearchNear }: Props) {
  const [path] = useLocation();
  const searchKeys = `${commandKey()} K`;
  return (
    <>
      <Group justify={isRail ? 'center' : 'space-between'} className="navigation-top">
        <Logo isShort={isRail} />
        {isDrawer ? (
          <FrameButton label="Close menu" icon={IconX} onClick={onClose} />
        ) : (
          !isRail && (
            <FrameButton label="Collapse navigation" icon={IconLayoutSidebarLeftCollapse} onClick={onRail} />
          )
        )}
      </Group>
      {isRail && (
        <FrameButton label="Expand navigation" icon={IconLayoutSidebarLeftExpand} onClick={onRail} />
      )}
      {switcher}
      <UnstyledButton
        className="search-button"
        onClick={onSearch}
        onPointerEnter={onSearchNear}
        onFocus={onSearchNear}
        aria-haspopup="dialog"
        {...(isRail && { 'aria-label': 'Search', 'data-hint': `Search (${searchKeys})` })}
      >
        <IconSearch size={16} stroke={1.75} aria-hidden />
        {!isRail && (
          <>
            <span>Search</span>
            <kbd>{searchKeys}</kbd>
          </>
        )}
      </UnstyledButton>
      <div className="areas">
        <nav aria-label="Main">
          {areaGroups.map(({ title, areas }) => (
            <div key={title} role="group" aria-label={title} className="area-group">
              {!isRail && (
                <Text size="xs" fw={500} c="dimmed" aria-hidden>
                  {title}
                </Text>
              )}
              {areas.map((area) => (
                <AreaLink key={area.href} area={area} isCurrent={isIn(area, path)} isRail={isRail} />
              ))}
            </div>
          ))}
        </nav>
      </div>
    </>
  );
}

type LinkProps = { area: Area; isCurrent: boolean; isRail: boolean };

function AreaLink({ area: { href, label, icon: AreaIcon }, isCurrent, isRail }: LinkProps) {
  return (
    <Link
      href={href}
      className="area-link"
      data-letter={areaLetters.find(({ area }) => area.href === href)?.letter}
      {...(isRail && { 'data-hint': label })}
      {...(isCurrent && { 'aria-current': 'page' as const })}
    >
      <AreaIcon size={18} stroke={1.6} aria-hidden />
      <span>{label}</span>
    </Link>
  );
}

type ButtonProps = { label: string; icon: Area['icon']; onClick: () => void };

function FrameButton({ label, icon: ButtonIcon, onClick }: ButtonProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={32}
      aria-label={label}
      data-hint={label}
      onClick={onClick}
    >
      <ButtonIcon size={18} stroke={1.6} aria-hidden />
    </ActionIcon>
  );
}
