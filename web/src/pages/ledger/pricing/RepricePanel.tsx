import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { Confirm } from '../../../ui/Confirm.tsx';
import { count } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Money } from '../../../ui/Money.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { TaskBar } from '../../../ui/TaskBar.tsx';
import { faultOf, useChange } from '../../../ui/useChange.ts';
import { When } from '../../../ui/When.tsx';
import { Columns, WideTable } from '../../../ui/WideTable.tsx';
import { isUnderWay, repricesKey, repricesQuery, type Reprice } from './queries.ts';
import { useRefreshAtTheEnd } from './useRefreshAtTheEnd.ts';

/** Reprices past jobs, with progress, and undoes it. For those who may. */
export function RepricePanel() {
  const reprices = useQuery(repricesQuery);
  useRefreshAtTheEnd(reprices.data);
  const [reverted, setReverted] = useState<Reprice | null>(null);
  return (
    <Panel title="Price recorded jobs anew">
      <Text size="sm">
        Jobs that completed on these UTC days get the prices and rules of now. Every change is logged and can
        be taken back. A trial run tells what would change, and changes nothing.
      </Text>
      <RepriceForm />
      <Loaded query={reprices} height={60}>
        {(list) => (list.length === 0 ? null : <RepriceTable reprices={list} onRevert={setReverted} />)}
      </Loaded>
      {reverted && <Revert reprice={reverted} onClose={() => setReverted(null)} />}
    </Panel>
  );
}

const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

function RepriceForm() {
  const [from, setFrom] = useState(() => dayAgo(29));
  const [to, setTo] = useState(() => dayAgo(0));
  const [isAsking, setIsAsking] = useState(false);
  const start = useChange({
    act: async (isTrial: boolean) => {
      await api.POST('/api/v1/reprices', { body: { from, to, dry_run: isTrial } });
    },
    refresh: [repricesKey],
  });
  return (
    <Group align="flex-end" gap="sm">
      <TextInput
        label="From"
        type="date"
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
        error={faultOf(start.error, 'from')}
      />
      <TextInput
        label="To"
        type="date"
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
        error={faultOf(start.error, 'to')}
      />
      <Button variant="default" loading={start.isPending} onClick={() => start.mutate(true)}>
        Trial run
      </Button>
      <Button variant="default" disabled={start.isPending} onClick={() => setIsAsking(true)}>
        Price anew
      </Button>
      {isAsking && (
        <Confirm
          title="Price the recorded jobs anew?"
          deed="Price them anew"
          isBusy={start.isPending}
          onClose={() => setIsAsking(false)}
          onConfirm={() => start.mutate(false, { onSettled: () => setIsAsking(false) })}
        >
          Costs from {from} to {to} change wherever the prices and rules of now give others, and with them
          budgets and reports over these days. It can be taken back.
        </Confirm>
      )}
    </Group>
  );
}

function RepriceTable({ reprices, onRevert }: { reprices: Reprice[]; onRevert: (reprice: Reprice) => void }) {
  return (
    <WideTable keepsLast label="Jobs priced anew" minWidth={820}>
      <Columns
        texts={['What', 'Days (UTC)', 'Progress']}
        numbers={['Jobs changed', 'Difference', 'Take back']}
      />
      <tbody>
        {reprices.map((reprice) => (
          <RepriceRow key={reprice.id} reprice={reprice} onRevert={onRevert} />
        ))}
      </tbody>
    </WideTable>
  );
}

function RepriceRow({ reprice, onRevert }: { reprice: Reprice; onRevert: (reprice: Reprice) => void }) {
  const isRunning = isUnderWay(reprice);
  const what = reprice.reverts ? 'Taken back' : reprice.dry_run ? 'Trial run' : 'Priced anew';
  const isRevertible = !isRunning && !reprice.dry_run && reprice.changed_jobs > 0;
  return (
    <tr>
      <th scope="row">
        {what} <When at={reprice.created_at} />
      </th>
      <td>
        {reprice.from} to {reprice.to}
      </td>
      <td>{isRunning ? <UnderWay reprice={reprice} /> : (reprice.error ?? reprice.status)}</td>
      <td className="number">
        {count(reprice.changed_jobs)}
        {reprice.skipped_jobs > 0 && ` (${count(reprice.skipped_jobs)} left alone)`}
      </td>
      <td className="number">
        {reprice.difference > 0 && '+'}
        <Money amount={reprice.difference} />
      </td>
      <td className="number">
        {isRevertible && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Take back what was changed from ${reprice.from} to ${reprice.to}`}
            onClick={() => onRevert(reprice)}
          >
            Take back
          </Button>
        )}
      </td>
    </tr>
  );
}

function UnderWay({ reprice }: { reprice: Reprice }) {
  const { done, total } = reprice.progress;
  const cancel = useChange({
    act: async () => {
      await api.POST('/api/v1/reprices/{id}/cancel', { params: { path: { id: reprice.id } } });
    },
    refresh: [repricesKey],
  });
  return (
    <Group gap="xs" wrap="nowrap">
      <Stack gap={2} miw={140}>
        <TaskBar task={reprice} done="priced" />
        <Text size="xs">
          {count(done)} of {total === null ? 'unknown' : count(total)} jobs
        </Text>
      </Stack>
      <Button
        size="compact-sm"
        variant="default"
        loading={cancel.isPending}
        onClick={() => cancel.mutate(undefined)}
      >
        Cancel
      </Button>
    </Group>
  );
}

function Revert({ reprice, onClose }: { reprice: Reprice; onClose: () => void }) {
  const revert = useChange({
    act: async () => {
      await api.POST('/api/v1/reprices/{id}/revert', { params: { path: { id: reprice.id } } });
    },
    refresh: [repricesKey],
  });
  return (
    <Confirm
      title="Take this back?"
      deed="Take it back"
      isBusy={revert.isPending}
      onClose={onClose}
      onConfirm={() => revert.mutate(undefined, { onSettled: onClose })}
    >
      {count(reprice.changed_jobs)} jobs get back what they cost before. Jobs that have been reported or
      priced anew since are left alone.
    </Confirm>
  );
}
