import { Group, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { api } from '../../../api/client.ts';
import { type Answer, bodyQuery, dataQuery } from '../../../api/query.ts';
import { Change } from '../../../parts/waste/FixRow.tsx';
import { NamedLink } from '../../../parts/workflows/NamedLink.tsx';
import { moneyColumn, numberColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { Command } from '../../../ui/Command.tsx';
import { DataTable } from '../../../ui/DataTable.tsx';
import { countOf, gigabytes } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { SmallButton, useWhyNot } from '../../../ui/rights.tsx';
import { isMoving } from '../../../ui/task.ts';
import { TaskBar } from '../../../ui/TaskBar.tsx';
import { LongText, Money, Note, TextLink, When } from '../../../ui/text.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { expiryOf, gapsOf, makerOf, storagePath, type StorageItem } from './storageWords.ts';

const readingsPath = '/api/v1/storage/readings';
const perPage = 15;

/** What GitHub stores today, with what to change. Children follow once it has its height, so that nothing moves. */
export function StoragePanel({ repo, children }: { repo: string; children?: ReactNode }) {
  const [page, setPage] = useState(1);
  const query = { page, per_page: perPage, ...(repo && { repo }) };
  const storage = useQuery({
    ...bodyQuery(storagePath, { query }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  const mayRead = useWhyNot()({ role: 'admin', scope: 'admin' }) === null;
  const latest = useLatestReading(mayRead);
  return (
    <Stack gap="md">
      <Panel title="Storage" aside={mayRead && <ReadNow latest={latest} />}>
        {latest?.error && <LongText>The last reading failed: {latest.error}</LongText>}
        <Loaded query={storage} height={160}>
          {({ data, pagination }) =>
            data.repositories.length === 0 ? (
              <NothingRead repo={repo} />
            ) : (
              <Stack gap="sm">
                <Totals data={data} />
                {data.items.length > 0 && (
                  <DataTable
                    label="Storage by workflow"
                    rows={data.items}
                    columns={columns}
                    keyOf={({ repository, kind, workflow_id: id, name, ref }) =>
                      [repository, kind, id, name, ref].join(' ')
                    }
                    minWidth={640}
                    isStacked
                    isPart={pagination.total > perPage}
                    details={{
                      of: (item) => <Details item={item} />,
                      label: ({ name }, isOpen) => `${isOpen ? 'Hide' : 'Show'} details of ${name}`,
                    }}
                  />
                )}
                <Pager pagination={pagination} one="row" onPage={setPage} />
                {gapsOf(data.repositories).map((text) => (
                  <Note key={text}>{text}</Note>
                ))}
              </Stack>
            )
          }
        </Loaded>
      </Panel>
      {!storage.isPending && children}
    </Stack>
  );
}

function Totals({ data }: { data: Answer<typeof storagePath> }) {
  const { artifacts, cost_per_month: cost, saving_per_month: saving, included, repositories } = data;
  const [oldest] = repositories.map(({ read_at: at }) => at).toSorted();
  return (
    <div>
      <Text fz={21} lh={1.3} fw={700}>
        <Money amount={cost} /> a month
        {saving > 0 && (
          <>
            , and you can save up to <Money amount={saving} />
          </>
        )}
      </Text>
      <Note>
        {gigabytes(data.artifact_gb)} in {countOf(artifacts, 'artifact')}, {gigabytes(data.cache_gb)} of
        caches. <Money amount={data.cost_this_month} /> this month so far, at list prices
        {included
          ? `, before the ${included.gb} GB that your GitHub plan includes`
          : ', before what your GitHub plan includes'}
        .{' '}
        {oldest && (
          <>
            Read <When at={oldest} />.
          </>
        )}
      </Note>
    </div>
  );
}

function NothingRead({ repo }: { repo: string }) {
  return (
    <Note>
      {repo
        ? `The artifacts and caches of ${repo} have not been read yet. `
        : 'Artifacts and caches have not been read yet. '}
      Reading needs a GitHub App or a token with the repository permission "Actions: read":{' '}
      <TextLink href="/sources" underline="always" inherit>
        add it to a source
      </TextLink>
      . Runcost then reads them every night.
    </Note>
  );
}

type Reading = Answer<typeof readingsPath>[number];

/** Reloads what is stored when it ends. */
function useLatestReading(enabled: boolean): Reading | undefined {
  const queryClient = useQueryClient();
  const { data } = useQuery({
    ...dataQuery(readingsPath, { query: { per_page: 1 } }),
    refetchInterval: ({ state }) => (state.data?.some(isMoving) ? 2_000 : false),
    enabled,
  });
  const latest = data?.[0];
  const isReading = latest !== undefined && isMoving(latest);
  useEffect(
    () => () => {
      if (isReading) void queryClient.invalidateQueries({ queryKey: [storagePath] });
    },
    [isReading, queryClient],
  );
  return latest;
}

function ReadNow({ latest }: { latest: Reading | undefined }) {
  const start = useChange({
    act: () => api.POST(readingsPath, { body: {} }),
    done: 'Reading started.',
    refresh: [[readingsPath]],
  });
  return latest && isMoving(latest) ? (
    <div style={{ width: 160 }}>
      <TaskBar task={latest} done="read" />
    </div>
  ) : (
    <SmallButton loading={start.isPending} onClick={() => start.mutate(undefined)}>
      Read now
    </SmallButton>
  );
}

const columns: readonly Column<StorageItem>[] = [
  {
    title: 'Name',
    value: ({ name }) => name,
    cell: (item) => {
      const note = `${item.repository} · ${item.kind === 'cache' ? 'cache of ' : ''}${makerOf(item)}`;
      const href = item.workflow_id === null ? null : `/workflows/${item.workflow_id}`;
      return <NamedLink href={href} workflow={item.name} note={note} />;
    },
  },
  numberColumn('Count', ({ count: held }) => held, String, { isHiddenOnPhones: true }),
  numberColumn('Stored', ({ gb }) => gb, gigabytes),
  numberColumn(
    'Kept',
    ({ retention_days: days }) => days,
    (days) => countOf(days, 'day'),
    {
      isHiddenOnPhones: true,
    },
  ),
  moneyColumn('A month', ({ cost_per_month: cost }) => cost),
  moneyColumn('Saves', ({ saving_per_month: saving }) => saving || null, { isMain: true }),
];

function Details({ item }: { item: StorageItem }) {
  const { fix, name, saving_per_month: saving } = item;
  return (
    <Stack gap={6}>
      <Note>{expiryOf(item)}</Note>
      {fix ? (
        <>
          <LongText>
            {fix.text} Saves up to <Money amount={saving} /> a month.
          </LongText>
          <Command label={`Lines for the workflow that makes ${name}`} what={`the lines for ${name}`}>
            {fix.yaml}
          </Command>
          <Group gap="xs">
            <Change fix={fix} />
          </Group>
          {fix.command !== null && (
            <>
              <Note>To remove what is stored already, from any workflow, with the GitHub CLI:</Note>
              <Command label={`Command that removes old ${name}`} what={`the command for ${name}`}>
                {fix.command}
              </Command>
            </>
          )}
        </>
      ) : (
        <Text size="sm">Nothing to change.</Text>
      )}
    </Stack>
  );
}
