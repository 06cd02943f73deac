import { Badge, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useSignOut } from '../../api/session.ts';
import { textColumn } from '../../ui/cells.tsx';
import type { Column } from '../../ui/columns.ts';
import { Confirm } from '../../ui/Dialog.tsx';
import { sentence } from '../../ui/figures.ts';
import { ResourcePanel } from '../../ui/ResourcePanel.tsx';
import { SmallButton, useWhyNot } from '../../ui/rights.tsx';
import { ConfirmRemoval, type Removal } from '../../ui/rowActions.tsx';
import { Segments } from '../../ui/Segments.tsx';
import { Note, When } from '../../ui/text.tsx';
import { orderIn, pageIn, sortOfOrder, useAddress } from '../../ui/useAddress.ts';
import { useChange } from '../../ui/useChange.ts';
import { sessionsKey, sessionSorts, sessionsQuery, type Session } from './queries.ts';

export function SessionsPart() {
  const [address, changeAddress] = useAddress();
  const [isAsking, { open, close }] = useDisclosure();
  const whyNot = useWhyNot();
  const isAdmin = whyNot({ role: 'admin', scope: 'admin' }) === null;
  const all = isAdmin && address.get('of') === 'everyone';
  const order = orderIn(sessionSorts, address, { column: 'last_used', isDescending: true });
  const sessions = useQuery(
    sessionsQuery({
      all,
      page: pageIn(address),
      per_page: 50,
      sort_by: order.column,
      sort_order: order.isDescending ? 'desc' : 'asc',
    }),
  );
  const [ended, setEnded] = useState<Session | null>(null);
  return (
    <ResourcePanel
      label="Sessions"
      query={sessions}
      rowsOf={({ data }) => data.toSorted((a, b) => Number(b.is_current) - Number(a.is_current))}
      pagesOf="session"
      columns={columnsFor(!all, setEnded)}
      order={order}
      onOrder={(next) => changeAddress(sortOfOrder(next))}
      minWidth={860}
      isOfPage
      actions={
        <>
          {isAdmin && (
            <Segments
              label="Whose sessions"
              options={{ mine: 'Mine', everyone: 'Everyone' }}
              value={all ? 'everyone' : 'mine'}
              onChange={(of) => changeAddress({ of: of === 'everyone' ? of : null, page: null })}
            />
          )}
          <SmallButton reason={all ? whyNot({ role: 'owner', scope: 'admin' }) : null} onClick={open}>
            {all ? 'Sign everyone out' : 'Sign out everywhere'}
          </SmallButton>
        </>
      }
      empty={{ title: 'No sessions', text: 'No browser is signed in.' }}
    >
      {ended && <ConfirmRemoval row={ended} removal={ending} onClose={() => setEnded(null)} />}
      {isAsking && <SignOutAll all={all} onClose={close} />}
    </ResourcePanel>
  );
}

function holderOf({ member, token }: Session): string {
  return member?.email ?? (token ? `Token “${token.name}”` : 'Command-line link');
}

function columnsFor(areMine: boolean, onEnd: (session: Session) => void): Column<Session>[] {
  const time = (title: string, sort: string, at: (session: Session) => string): Column<Session> => ({
    title,
    sort,
    cell: (session) => <When at={at(session)} isRough={sort === 'expires'} />,
  });
  const role: Column<Session> = {
    title: 'Role',
    sort: 'role',
    isPlain: true,
    cell: (session) => sentence(session.role),
  };
  return [
    {
      title: 'Signed in as',
      sort: 'holder',
      cell: (session) => (
        <>
          <Group gap={6}>
            <Text size="sm" fw={500}>
              {holderOf(session)}
            </Text>
            {session.is_current && (
              <Badge variant="outline" tt="none" size="sm">
                This browser
              </Badge>
            )}
          </Group>
          {session.member && session.token && <Note>Token “{session.token.name}”</Note>}
        </>
      ),
    },
    ...(areMine ? [] : [role]),
    textColumn('Browser', ({ browser }) => browser, { isPlain: true }),
    textColumn('IP address', ({ address }) => address, { sort: 'address', isPlain: true }),
    { ...time('Since', 'created', ({ created_at }) => created_at), isHiddenOnPhones: true },
    time('Last used', 'last_used', ({ last_seen_at }) => last_seen_at),
    { ...time('Expires', 'expires', ({ expires_at }) => expires_at), isHiddenOnPhones: true },
    { title: 'Actions', cell: (session) => <EndButton session={session} areMine={areMine} onEnd={onEnd} /> },
  ];
}

type ButtonProps = { session: Session; areMine: boolean; onEnd: (session: Session) => void };

function EndButton({ session, areMine, onEnd }: ButtonProps) {
  const whyNot = useWhyNot()({ role: session.role, scope: 'admin' });
  return (
    <SmallButton
      reason={areMine ? null : whyNot}
      aria-label={`Sign out ${holderOf(session)}${session.is_current ? ', this browser' : ''}`}
      onClick={() => onEnd(session)}
    >
      Sign out
    </SmallButton>
  );
}

const ending: Removal<Session> = {
  verb: 'Sign out',
  what: 'browser',
  label: 'Sign out',
  text: ({ is_current: isCurrent, token }) =>
    (isCurrent ? 'This is the browser you are using. ' : '') +
    (token
      ? `Anyone with the token ${token.name} can sign in again.`
      : 'The link that started this session no longer works.'),
  act: ({ id }) => api.DELETE('/api/v1/sessions/{id}', { params: { path: { id } } }),
  done: (session) => `${holderOf(session)} was signed out.`,
  refresh: [sessionsKey, ['session']],
};

function SignOutAll({ all, onClose }: { all: boolean; onClose: () => void }) {
  const signOut = useSignOut();
  const change = useChange({ act: () => signOut(all ? 'everyone' : 'everywhere') });
  return (
    <Confirm
      title={all ? 'Sign everyone out?' : 'Sign out everywhere?'}
      label={all ? 'Sign everyone out' : 'Sign out everywhere'}
      change={change}
      onClose={onClose}
      onConfirm={() => change.mutate(undefined, { onError: onClose })}
    >
      {all
        ? 'This ends all sessions in the organization, including yours. Unused sign-in links stop working.'
        : 'This ends all your sessions, including this one. Your unused sign-in links stop working.'}{' '}
      Tokens stay valid. Revoke any that others may have.
    </Confirm>
  );
}
