import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Caret } from '../../../analysis/Caret.tsx';
import { api } from '../../../api/client.ts';
import { type Answer, dataQuery } from '../../../api/query.ts';
import { timeColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { countOf } from '../../../ui/figures.ts';
import { ResourcePanel } from '../../../ui/ResourcePanel.tsx';
import { SmallButton, useWhyNot } from '../../../ui/rights.tsx';
import { ActionMenu } from '../../../ui/RowMenu.tsx';
import { isMoving } from '../../../ui/task.ts';
import { Note, StatusBadge } from '../../../ui/text.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { changedByRules } from './queries.ts';
import { sources } from './rules.ts';

const importsPath = '/api/v1/ownership/imports';

type OwnerImport = Answer<typeof importsPath>[number];

export function Imports({ reason }: { reason: string | null }) {
  const canRead = useWhyNot()({ role: 'viewer', scope: 'admin' }) === null;
  const imports = useQuery({
    ...dataQuery(importsPath, { query: { per_page: 10 } }),
    refetchInterval: ({ state }) => (state.data?.some(isMoving) ? 2_000 : false),
    enabled: canRead,
  });
  const start = useChange({
    act: (from: OwnerImport['from']) => api.POST(importsPath, { body: { from } }),
    done: 'Import started.',
    refresh: [[importsPath], ...changedByRules],
  });
  const cancel = useChange({
    act: (id: string) => api.POST('/api/v1/ownership/imports/{id}/cancel', { params: { path: { id } } }),
    done: 'Import canceled.',
    refresh: [[importsPath]],
  });
  if (!canRead || (reason !== null && imports.data?.length === 0)) return null;
  return (
    <ResourcePanel
      label="Imports of owners"
      query={imports}
      columns={importColumns((id) => cancel.mutate(id))}
      minWidth={640}
      lead={
        <>
          <Text fw={600} c="var(--mantine-color-text)" component="h2" size="md">
            Imports from GitHub
          </Text>
          {imports.data?.length === 0 && 'None yet. An import reads the owners of each repository.'}
        </>
      }
      actions={
        reason === null && (
          <ActionMenu
            width={280}
            target={(props) => (
              <Button
                {...props}
                size="compact-sm"
                variant="default"
                rightSection={<Caret />}
                loading={start.isPending}
              >
                Import owners
              </Button>
            )}
            items={[
              {
                label: 'CODEOWNERS',
                about: 'The owner of all files of each repository.',
                onClick: () => start.mutate('codeowners'),
              },
              {
                label: 'Custom properties',
                about: 'team and cost_center of each repository.',
                onClick: () => start.mutate('custom_properties'),
              },
            ]}
          />
        )
      }
      empty={null}
    />
  );
}

function importColumns(onCancel: (id: string) => void): Column<OwnerImport>[] {
  return [
    { title: 'From', cell: ({ from }) => sources[from] },
    {
      title: 'Status',
      cell: ({ status, error, problems }) => (
        <>
          <StatusBadge status={status} />
          {[error, ...problems.map(({ message }) => message)].filter(Boolean).map((text) => (
            <Note key={text} size="xs" style={{ whiteSpace: 'normal' }}>
              {text}
            </Note>
          ))}
        </>
      ),
    },
    { title: 'Found', isNumber: true, cell: ({ found }) => countOf(found, 'owner') },
    timeColumn('Started', ({ created_at: at }) => at),
    {
      title: 'Actions',
      cell: (each) => isMoving(each) && <SmallButton onClick={() => onCancel(each.id)}>Cancel</SmallButton>,
    },
  ];
}
