import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DayField } from '../../../analysis/DayField.tsx';
import { api } from '../../../api/client.ts';
import { repricesKey, type Reprice } from '../../../api/queries.ts';
import { useRefreshAtTheEnd } from '../../../parts/pricing/useRefreshAtTheEnd.ts';
import { CancelButton } from '../../../ui/CancelButton.tsx';
import { numberColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { Confirm } from '../../../ui/Dialog.tsx';
import { count, countOf, longDay, sentence, signed } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { SmallButton } from '../../../ui/rights.tsx';
import { doneInWords, isMoving } from '../../../ui/task.ts';
import { TaskBar } from '../../../ui/TaskBar.tsx';
import { Note, statusInWords, When } from '../../../ui/text.tsx';
import { errorOf, useChange } from '../../../ui/useChange.ts';
import { repricesQuery } from './queries.ts';

export function RepricePanel() {
  const reprices = useQuery(repricesQuery);
  useRefreshAtTheEnd(reprices.data);
  const [reverted, setReverted] = useState<Reprice | null>(null);
  return (
    <Panel title="Reprice past jobs">
      <Note>
        Jobs that completed on these days (UTC) get the current prices and rules. We log every change, and you
        can undo it. A dry run shows what would change, and changes nothing.
      </Note>
      <RepriceForm />
      <Loaded query={reprices} height={60}>
        {(list) =>
          list.length > 0 && (
            <DataTable
              label="Reprices"
              minWidth={820}
              rows={list}
              columns={columnsFor(setReverted)}
              isStacked
            />
          )
        }
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
    act: (isTrial: boolean) => api.POST('/api/v1/reprices', { body: { from, to, dry_run: isTrial } }),
    refresh: [repricesKey],
  });
  return (
    <>
      <Group
        component="form"
        align="flex-end"
        gap="sm"
        onSubmit={(event) => {
          event.preventDefault();
          start.mutate(true);
        }}
      >
        <DayField label="From" value={from} onChange={setFrom} error={errorOf(start.error, 'from')} />
        <DayField label="To" value={to} onChange={setTo} error={errorOf(start.error, 'to')} />
        <Button type="submit" loading={start.isPending}>
          Dry run
        </Button>
        <Button
          variant="default"
          disabled={start.isPending}
          onClick={({ currentTarget }) => currentTarget.form!.reportValidity() && setIsAsking(true)}
        >
          Reprice
        </Button>
      </Group>
      {isAsking && (
        <Confirm
          title="Reprice past jobs?"
          label="Reprice jobs"
          change={start}
          onClose={() => setIsAsking(false)}
          onConfirm={() => start.mutate(false, { onSettled: () => setIsAsking(false) })}
        >
          Costs from {longDay(from)} to {longDay(to)} change wherever the current prices and rules differ.
          Budgets and reports for these days change too. You can undo this.
        </Confirm>
      )}
    </>
  );
}

const whatOf = ({ reverts, dry_run: isDryRun }: Reprice) =>
  reverts ? 'Undone' : isDryRun ? 'Dry run' : 'Repriced';

function columnsFor(onRevert: (reprice: Reprice) => void): Column<Reprice>[] {
  return [
    {
      title: 'Action',
      value: whatOf,
      cell: (reprice) => (
        <>
          {whatOf(reprice)} <When at={reprice.created_at} />
        </>
      ),
    },
    {
      title: 'Days (UTC)',
      value: ({ from }) => from,
      cell: ({ from, to }) => `${longDay(from)} to ${longDay(to)}`,
    },
    {
      title: 'Status',
      value: ({ status }) => status,
      cell: (reprice) =>
        isMoving(reprice) ? (
          <UnderWay reprice={reprice} />
        ) : (
          (reprice.error ?? sentence(statusInWords(reprice.status)))
        ),
    },
    {
      title: 'Jobs changed',
      isNumber: true,
      value: ({ changed_jobs: jobs }) => jobs,
      cell: ({ changed_jobs: jobs, skipped_jobs: skipped }) =>
        `${count(jobs)}${skipped > 0 ? ` (${count(skipped)} skipped)` : ''}`,
    },
    numberColumn('Difference', ({ difference }) => difference, signed),
    {
      title: 'Actions',
      cell: (reprice) =>
        !isMoving(reprice) &&
        !reprice.dry_run &&
        reprice.changed_jobs > 0 && (
          <SmallButton
            aria-label={`Undo the changes from ${longDay(reprice.from)} to ${longDay(reprice.to)}`}
            onClick={() => onRevert(reprice)}
          >
            Undo
          </SmallButton>
        ),
    },
  ];
}

function UnderWay({ reprice }: { reprice: Reprice }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Stack gap={2} miw={140}>
        <TaskBar task={reprice} done="repriced" />
        <Text size="xs">{doneInWords(reprice, 'job')}</Text>
      </Stack>
      <CancelButton
        what="the reprice"
        reason={null}
        act={() => api.POST('/api/v1/reprices/{id}/cancel', { params: { path: { id: reprice.id } } })}
        refresh={[repricesKey]}
      />
    </Group>
  );
}

function Revert({ reprice, onClose }: { reprice: Reprice; onClose: () => void }) {
  const revert = useChange({
    act: () => api.POST('/api/v1/reprices/{id}/revert', { params: { path: { id: reprice.id } } }),
    refresh: [repricesKey],
  });
  return (
    <Confirm title="Undo this?" label="Undo" change={revert} onClose={onClose}>
      This restores the previous cost of {countOf(reprice.changed_jobs, 'job')}. Jobs that were reported or
      repriced since then stay unchanged.
    </Confirm>
  );
}
