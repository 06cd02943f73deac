import { ActionIcon, Group, Overlay, Skeleton, Alert, Code } from '@mantine/core';
import { useDisclosure, useFocusTrap, useHotkeys, useLocalStorage } from '@mantine/hooks';
import { IconMenu2, IconSearch } from '@tabler/icons-react';
import { Suspense, useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Boundary } from '../ui/Boundary.tsx';
import { isServer, useMediaQuery } from '../ui/browserState.ts';
import { keepKeys, takeKeys } from '../ui/earlyKeys.ts';
import { late } from '../ui/late.ts';
import { FrameSaysWhy } from '../ui/Loaded.tsx';
import { PlainDialog } from '../ui/PlainDialog.tsx';
import { Account, type Session } from './Account.tsx';
import { useLetterKeys } from './letterKeys.ts';
import { Logo } from './Logo.tsx';
import { Navigation } from './Navigation.tsx';
import { OpenSearch } from './OpenSearch.ts';
import { Organizations } from './Organizations.tsx';
import { OutageNotice } from './OutageNotice.tsx';
import type { PaletteProps } from './Palette.tsx';
import './shell.css';

const loadPalette = () => import('./Palette.tsx');
const Palette = late(loadPalette, 'Palette');
const Shortcuts = late(() => import('./Shortcuts.tsx'), 'Shortcuts');
const paletteNear = () => void loadPalette().catch(() => {}); // Opening it tries again and reports an error.

type Props = {
  /** Undefined while it loads. */
  session: (Session & Held) | undefined;
  children: ReactNode;
};

export function Shell({ session, children }: Props) {
  const drawer = useDrawer();
  const [isRail, toggleRail] = useRail(drawer.isPhone);
  // How often the palette was opened. It loads with the first time.
  const [searches, setSearches] = useState(0);
  const [isShowingKeys, keys] = useDisclosure();
  const search = () => {
    keepKeys();
    setSearches((count) => count + 1);
  };
  useKeys({ search, toggleRail, close: drawer.close });
  useLetterKeys({ onShortcuts: keys.open, onSearch: search });
  return (
    <div className="frame">
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <PhoneHeader drawer={drawer} organizationName={session?.organization.name ?? ''} onSearch={search} />
      <nav
        id="menu"
        ref={drawer.trap}
        className="navigation"
        inert={drawer.isPhone && !drawer.isOpen}
        {...(drawer.isOpen && { 'data-open': true })}
      >
        <Navigation
          isRail={isRail}
          isDrawer={drawer.isCovering}
          onRail={toggleRail}
          onClose={drawer.close}
          onSearch={() => {
            drawer.close();
            search();
          }}
          onSearchNear={paletteNear}
          switcher={
            session &&
            session.other_organizations > 0 && (
              <Organizations organization={session.organization} isRail={isRail} />
            )
          }
        />
        <Bottom session={session} isRail={isRail} onShortcuts={keys.open} />
      </nav>
      {drawer.isCovering && (
        <Overlay fixed zIndex={100} backgroundOpacity={0.4} onClick={drawer.close} aria-hidden />
      )}
      <main id="content" tabIndex={-1} inert={drawer.isCovering}>
        <div className="page">
          {session && <div className="only-printed">{session.organization.name}</div>}
          <HoldNotice session={session} />
          <OpenSearch value={search}>
            <FrameSaysWhy value>{children}</FrameSaysWhy>
          </OpenSearch>
          <OutageNotice />
        </div>
      </main>
      {session && searches > 0 && (
        <Search
          key={session.organization.id}
          opened={searches}
          organizationId={session.organization.id}
          onShortcuts={keys.open}
          onRail={toggleRail}
        />
      )}
      {isShowingKeys && (
        <Boundary fallback={() => <NotLoaded title="Shortcuts failed to load" onClose={keys.close} />}>
          <Suspense fallback={null}>
            <Shortcuts onClose={keys.close} />
          </Suspense>
        </Boundary>
      )}
    </div>
  );
}

type BottomProps = { session: Props['session']; isRail: boolean; onShortcuts: () => void };

function Bottom({ session, ...props }: BottomProps) {
  return (
    <div className="navigation-bottom">
      {session ? (
        <Account key={session.organization.id} session={session} {...props} />
      ) : (
        <Skeleton height={44} />
      )}
    </div>
  );
}

type Keys = { search: () => void; toggleRail: () => void; close: () => void };

/** Also active in fields. */
function useKeys({ search, toggleRail, close }: Keys): void {
  const ignoredTags: string[] = [];
  useHotkeys(
    [
      ['mod+K', search],
      ['mod+B', toggleRail],
      ['Escape', close, { preventDefault: false }],
    ],
    ignoredTags,
    true,
  );
}

type HeaderProps = {
  drawer: ReturnType<typeof useDrawer>;
  organizationName: string;
  onSearch: () => void;
};

function PhoneHeader({ drawer, organizationName, onSearch }: HeaderProps) {
  return (
    <header className="phone-header">
      <Group h="100%" px="md" gap="sm" wrap="nowrap" inert={drawer.isCovering}>
        <ActionIcon
          ref={drawer.burger}
          variant="subtle"
          color="gray"
          onClick={drawer.open}
          size={40}
          ms={-10}
          aria-label="Menu"
          aria-expanded={drawer.isOpen}
          aria-controls="menu"
        >
          <IconMenu2 size={22} stroke={1.6} aria-hidden />
        </ActionIcon>
        <Logo isShort />
        <span className="phone-place">{organizationName}</span>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={40}
          ms="auto"
          me={-8}
          aria-label="Search"
          onClick={onSearch}
          onPointerEnter={paletteNear}
        >
          <IconSearch size={20} stroke={1.6} aria-hidden />
        </ActionIcon>
      </Group>
    </header>
  );
}

function Search(props: PaletteProps) {
  return (
    <Boundary
      resetKey={String(props.opened)}
      fallback={() => <NotLoaded key={props.opened} title="Search failed to load" />}
    >
      <Suspense fallback={null}>
        <Palette {...props} />
      </Suspense>
    </Boundary>
  );
}

/** On phones the navigation is a drawer, which keeps the focus while it is open. */
function useDrawer() {
  const [isOpen, { open, close: hide }] = useDisclosure();
  const [path] = useLocation();
  // Mantine's `sm`.
  const isPhone = useMediaQuery('(width < 48em)');
  const isCovering = isPhone && isOpen;
  const trap = useFocusTrap(isCovering);
  const burger = useRef<HTMLButtonElement>(null);
  useEffect(() => hide(), [path, isPhone]);
  const close = () => {
    if (!isCovering) return;
    hide();
    // The button is inert until the drawer is gone.
    requestAnimationFrame(() => burger.current?.focus({ preventScroll: true }));
  };
  return { isPhone, isOpen, isCovering, open, close, trap, burger };
}

/**
 * Whether the navigation shows only icons: by default on middle widths. The choice is stored separately for large and
 * middle widths.
 */
function useRail(isPhone: boolean): [isRail: boolean, toggle: () => void] {
  const isMiddle = useMediaQuery('(width < 75em)');
  const width = isMiddle ? 'middle' : 'large';
  const [chosen, setChosen] = useLocalStorage<Record<string, boolean>>({
    key: 'runcost-navigation-collapsed',
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  // Before, `scheme.js` has set it for the page from the server.
  const isRail = !isServer && !isPhone && (chosen[width] ?? isMiddle);
  useLayoutEffect(() => void document.documentElement.toggleAttribute('data-rail', isRail), [isRail]);
  // From what is stored, because a key may come before the handler of the latest render.
  const toggle = () => setChosen((before) => ({ ...before, [width]: !(before[width] ?? isMiddle) }));
  return [isRail, toggle];
}

function NotLoaded({ title, onClose = () => {} }: { title: string; onClose?: () => void }) {
  const [isOpen, { close }] = useDisclosure(true, { onClose });
  useEffect(() => void takeKeys(), []);
  if (!isOpen) return null;
  return (
    <PlainDialog title={title} onClose={close}>
      The server is unreachable or was updated. Reload the page to try again.
    </PlainDialog>
  );
}

type Held = { hold: string | null; command_line: string };

/** A copy of an installation is on hold: it sends nothing until someone resumes it. */
function HoldNotice({ session }: { session: Held | undefined }) {
  if (!session?.hold) return null;
  return (
    <Alert color="yellow" variant="light" mb="md" role="status">
      <b>On hold.</b> {session.hold} No messages, webhooks, alert checks or backfills leave it until{' '}
      <Code>{session.command_line} resume</Code>
    </Alert>
  );
}
