import { Badge, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useSignOut } from '../../api/session.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { AllowedButton, useWhyNot } from '../../ui/rights.tsx';
import { pageIn, useAddress } from '../../ui/useAddress.ts';
import { useChange } from '../../ui/useChange.ts';
import { When } from '../../ui/When.tsx';
import { breaking, Columns, WideTable } from '../../ui/WideTable.tsx';
import { sessionsKey, sessionsQuery, type Session } from './queries.ts';

export function SessionsPart() {
  const [address, changeAddress] = useAddress();
  const [isAsking, { open, close }] = useDisclosure();
  const whyNot = useWhyNot();
  const isAdmin = whyNot({ role: 'admin', scope: 'admin' }) === null;
  const all = isAdmin && address.get('of') === 'everyone';
  const sessions = useQuery(sessionsQuery(all, pageIn(address)));
  return (
    <Panel
      title="Sessions"
      aside={
        <AllowedButton
          size="compact-md"
          variant="default"
          reason={all ? whyNot({ role: 'owner', scope: 'admin' }) : null}
          onClick={open}
        >
          {all ? 'Sign everyone out' : 'Sign out everywhere'}
        </AllowedButton>
      }
    >
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" style={{ flex: '1 1 300px' }}>
          {all ? 'Browsers signed in to your organization.' : 'Browsers signed in as you.'} If you do not
          recognize one, sign it out and revoke its token.
        </Text>
        {isAdmin && (
          <SegmentedControl
            size="xs"
            aria-label="Whose sessions"
            value={all ? 'everyone' : 'mine'}
            onChange={(of) => changeAddress({ of: of === 'everyone' ? of : null, page: null })}
            data={[
              { value: 'mine', label: 'Mine' },
              { value: 'everyone', label: 'Everyone' },
            ]}
          />
        )}
      </Group>
      <Loaded query={sessions} height={240}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="No sessions">No browser is signed in.</Empty>
          ) : (
            <Stack gap="sm">
              <SessionTable sessions={data} areMine={!all} />
              <Pager
                pagination={pagination}
                one="session"
                onPage={(page) => changeAddress({ page: String(page) })}
              />
            </Stack>
          )
        }
      </Loaded>
      {isAsking && <SignOutAll all={all} onClose={close} />}
    </Panel>
  );
}

function SessionTable({ sessions, areMine }: { sessions: Session[]; areMine: boolean }) {
  const [ending, setEnding] = useState<Session | null>(null);
  return (
    <>
      <WideTable keepsLast label="Sessions" minWidth={860}>
        <Columns texts={['Signed in as', 'Role', 'IP address', 'Since', 'Last used', 'Expires', 'Actions']} />
        <tbody>
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} isMine={areMine} onEnd={setEnding} />
          ))}
        </tbody>
      </WideTable>
      {ending && <EndSession session={ending} onClose={() => setEnding(null)} />}
    </>
  );
}

function holderOf({ member, token }: Session): string {
  return member?.email ?? (token ? `Token ${token.name}` : 'Command-line link');
}

type RowProps = { session: Session; isMine: boolean; onEnd: (session: Session) => void };

function SessionRow({ session, isMine, onEnd }: RowProps) {
  const whyNot = useWhyNot()({ role: session.role, scope: 'admin' });
  const holder = holderOf(session);
  return (
    <tr style={{ verticalAlign: 'top' }}>
      <th scope="row" style={breaking}>
        <Group gap={6}>
          <Text size="sm" fw={500}>
            {holder}
          </Text>
          {session.is_current && (
            <Badge variant="outline" tt="none" size="sm">
              this browser
            </Badge>
          )}
        </Group>
        {session.member && session.token && (
          <Text size="sm" c="dimmed">
            Token {session.token.name}
          </Text>
        )}
      </th>
      <td>{session.role}</td>
      <td>{session.address ?? '–'}</td>
      <td>
        <When at={session.created_at} />
      </td>
      <td>
        <When at={session.last_seen_at} />
      </td>
      <td>
        <When at={session.expires_at} />
      </td>
      <td>
        <AllowedButton
          size="compact-sm"
          variant="default"
          reason={isMine ? null : whyNot}
          aria-label={`Sign out ${holder}${session.is_current ? ', this browser' : ''}`}
          onClick={() => onEnd(session)}
        >
          Sign out
        </AllowedButton>
      </td>
    </tr>
  );
}

type EndProps = { session: Session; onClose: () => void };

function EndSession({ session, onClose }: EndProps) {
  const end = useChange({
    act: async () => {
      await api.DELETE('/api/v1/sessions/{id}', { params: { path: { id: session.id } } });
    },
    done: `${holderOf(session)} was signed out.`,
    refresh: [sessionsKey, ['session']],
  });
  return (
    <Confirm
      title="Sign out this browser?"
      label="Sign out"
      isBusy={end.isPending}
      onClose={onClose}
      onConfirm={() => end.mutate(undefined, { onSettled: onClose })}
    >
      {session.is_current ? 'This is the browser you are using. ' : ''}
      {session.token
        ? `Anyone with the token ${session.token.name} can sign in again.`
        : 'The link that started this session no longer works.'}
    </Confirm>
  );
}

function SignOutAll({ all, onClose }: { all: boolean; onClose: () => void }) {
  const signOut = useSignOut();
  const change = useChange({ act: () => signOut(all ? 'everyone' : 'everywhere') });
  return (
    <Confirm
      title={all ? 'Sign everyone out?' : 'Sign out everywhere?'}
      label={all ? 'Sign everyone out' : 'Sign out everywhere'}
      isBusy={change.isPending}
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
