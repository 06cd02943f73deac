import { Alert, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../../api/client.ts';
import { Confirm } from '../../../ui/Dialog.tsx';
import { longDay } from '../../../ui/figures.ts';
import { Panel } from '../../../ui/Panel.tsx';
import { AllowedButton, SmallButton, useWhyNot } from '../../../ui/rights.tsx';
import { doneInWords, isMoving } from '../../../ui/task.ts';
import { TaskBar } from '../../../ui/TaskBar.tsx';
import { InText, LongText, Note, When } from '../../../ui/text.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { ConnectAccount } from './ConnectAccount.tsx';
import { type Account, accountsKey, ofReports, type Suggestion, useAccounts } from './queries.ts';

/** The accounts whose bills are fetched, or the offer to connect one. */
export function Accounts() {
  const found = useAccounts();
  const { accounts, suggested = null } = found.data ?? {};
  const [isConnecting, setConnecting] = useState(false);
  const [deleting, setDeleting] = useState<Account | null>(null);
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  useReload(accounts);
  if (!accounts || (accounts.length === 0 && reason !== null)) return null;
  const connect = () => setConnecting(true);
  return (
    <>
      {accounts.length === 0 ? (
        <Offer suggested={suggested} onOther={connect} />
      ) : (
        <Panel
          title="Bills from GitHub"
          aside={
            <SmallButton reason={reason} onClick={connect}>
              Connect another account
            </SmallButton>
          }
        >
          {accounts.map((account) => (
            <AccountRow
              key={account.id}
              account={account}
              reason={reason}
              onDelete={() => setDeleting(account)}
            />
          ))}
        </Panel>
      )}
      {isConnecting && <ConnectAccount suggested={suggested} onClose={() => setConnecting(false)} />}
      {deleting && <DeleteAccount account={deleting} onClose={() => setDeleting(null)} />}
    </>
  );
}

/** Figures and reports are loaded again whenever a month has arrived. */
function useReload(accounts: readonly Account[] | undefined): void {
  const client = useQueryClient();
  const state = accounts?.map((each) => `${each.id} ${each.months_stored} ${each.fetched_at}`).join();
  const [seen, setSeen] = useState<string>();
  useEffect(() => {
    if (state === undefined || state === seen) return;
    setSeen(state);
    if (seen === undefined) return;
    for (const queryKey of ofReports) void client.invalidateQueries({ queryKey });
  }, [state, seen, client]);
}

function Offer({ suggested, onOther }: { suggested: Suggestion | null; onOther: () => void }) {
  const connecting = useChange({
    act: (body: Suggestion) => api.POST('/api/v1/bills/accounts', { body }),
    done: 'Connected. The bill is on its way.',
    refresh: [accountsKey],
  });
  return (
    <Panel title="Get the bill from GitHub">
      <Text size="sm" maw={720}>
        Runcost fetches the last 13 months now, and new days every night. The token or GitHub App of your
        source needs the organization permission “Administration: read”.
      </Text>
      <Group gap="sm">
        {suggested && (
          <AllowedButton
            reason={null}
            loading={connecting.isPending}
            onClick={() => connecting.mutate(suggested)}
          >
            Connect {suggested.login}
          </AllowedButton>
        )}
        <AllowedButton reason={null} variant="default" onClick={onOther}>
          {suggested ? 'Another account' : 'Connect an account'}
        </AllowedButton>
      </Group>
      {!suggested && (
        <Note>
          A GitHub source with credentials reads the bill. Set them on the page{' '}
          <InText href="/sources">Sources</InText>.
        </Note>
      )}
    </Panel>
  );
}

type RowProps = { account: Account; reason: string | null; onDelete: () => void };

const kindWords = { organization: 'Organization', user: 'Personal account', enterprise: 'Enterprise' };

function AccountRow({ account, reason, onDelete }: RowProps) {
  const { kind, login, fetch, fault } = account;
  const isBusy = fetch !== null && isMoving(fetch);
  const fetching = useChange({
    act: () => api.POST('/api/v1/bills/fetches', { body: { account_id: account.id } }),
    refresh: [accountsKey],
  });
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <div>
          <Text fw={600}>{login}</Text>
          <Note>
            {kindWords[kind]} · <State account={account} />
          </Note>
        </div>
        <Group gap="xs">
          <SmallButton
            reason={reason}
            disabled={isBusy}
            loading={fetching.isPending}
            onClick={() => fetching.mutate(undefined)}
          >
            Fetch now
          </SmallButton>
          <SmallButton px={4} reason={reason} onClick={onDelete} aria-label={`Disconnect ${login}`}>
            <IconTrash size={16} />
          </SmallButton>
        </Group>
      </Group>
      {fetch && <TaskBar task={fetch} done="fetched" />}
      {fault !== null && (
        <Alert color="orange" icon={<IconAlertTriangle size={18} />} title="The last fetch failed">
          <LongText>{fault}</LongText>
        </Alert>
      )}
    </Stack>
  );
}

const waitWords = {
  rate_limit: 'GitHub’s hourly request limit is used up',
  secondary_rate_limit: 'GitHub asks for slower requests',
  unreachable: 'GitHub cannot be reached',
};

function State({ account: { kind, fetch, fetched_at: at, fetched_until: until } }: { account: Account }) {
  if (fetch && isMoving(fetch)) {
    const { waiting } = fetch;
    if (waiting)
      return (
        <>
          {waitWords[waiting.reason]}. Next try <When at={waiting.until} />
        </>
      );
    return <>fetching, {doneInWords(fetch, kind === 'enterprise' ? 'month' : 'day')}</>;
  }
  if (at === null) return <>not fetched yet</>;
  return (
    <>
      fetched <When at={at} />
      {until === null ? ', no lines' : `, until ${longDay(until)}`}
    </>
  );
}

function DeleteAccount({ account, onClose }: { account: Account; onClose: () => void }) {
  const removal = useChange({
    act: () => api.DELETE('/api/v1/bills/accounts/{id}', { params: { path: { id: account.id } } }),
    done: 'Account disconnected.',
    refresh: [accountsKey],
  });
  return (
    <Confirm
      title={`Disconnect ${account.login}?`}
      label="Disconnect"
      change={removal}
      onConfirm={() => removal.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      Its bill is not fetched anymore. The months that were fetched stay.
    </Confirm>
  );
}
