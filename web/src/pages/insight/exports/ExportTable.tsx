import { Button, Stack, Text } from '@mantine/core';
import { api } from '../../../api/client.ts';
import { count } from '../../../ui/figures.ts';
import { AllowedButton } from '../../../ui/rights.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { isMoving } from '../../../ui/task.ts';
import { TaskBar } from '../../../ui/TaskBar.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { When } from '../../../ui/When.tsx';
import { breaking, Columns, WideTable } from '../../../ui/WideTable.tsx';
import { exportsKey, type Export } from './queries.ts';
import { datasetWords, formatTitles, sizeText, windowText } from './words.ts';

type Props = {
  exports: Export[];
  reason: string | null;
};

export function ExportTable({ exports, reason }: Props) {
  return (
    <WideTable keepsLast label="Exports" minWidth={940}>
      <Columns
        texts={['File', 'Status', 'Created', 'Available until']}
        numbers={['Rows', 'Size', 'Actions']}
      />
      <tbody>
        {exports.map((each) => (
          <Row key={each.id} shown={each} reason={reason} />
        ))}
      </tbody>
    </WideTable>
  );
}

type RowProps = { shown: Export; reason: string | null };

function Row({ shown, reason }: RowProps) {
  return (
    <tr style={{ verticalAlign: 'top' }}>
      <th scope="row" style={breaking}>
        <Text size="sm" fw={500}>
          {datasetWords[shown.dataset].title}, {formatTitles[shown.format]}
        </Text>
        <Text size="sm" c="dimmed">
          {windowText(shown)}
        </Text>
      </th>
      <td style={{ minWidth: 170 }}>
        <State shown={shown} />
      </td>
      <td>
        <When at={shown.created_at} />
      </td>
      <td>
        <When at={shown.expires_at} />
      </td>
      <td className="number">{count(shown.rows)}</td>
      <td className="number">{sizeText(shown.bytes)}</td>
      <td className="number">
        <Action shown={shown} reason={reason} />
      </td>
    </tr>
  );
}

function State({ shown }: { shown: Export }) {
  return (
    <Stack gap={4} align="flex-start">
      <StatusBadge status={shown.status === 'done' && !shown.download_url ? 'expired' : shown.status} />
      <TaskBar task={shown} done="written" />
      {shown.error && (
        <Text size="sm" style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}>
          {shown.error}
        </Text>
      )}
    </Stack>
  );
}

function Action({ shown, reason }: RowProps) {
  const cancel = useChange({
    act: async () => {
      await api.POST('/api/v1/exports/{id}/cancel', { params: { path: { id: shown.id } } });
    },
    done: 'Export canceled. Its file was deleted.',
    refresh: [exportsKey],
  });
  const what = `${datasetWords[shown.dataset].title}, ${formatTitles[shown.format]}, ${windowText(shown)}`;
  if (shown.download_url) {
    // The path alone, because the browser is signed in at this address, not at PUBLIC_URL.
    return (
      <Button
        component="a"
        href={`/api/v1/exports/${shown.id}/download`}
        download={shown.file_name}
        size="compact-sm"
        aria-label={`Download ${what}`}
      >
        Download
      </Button>
    );
  }
  if (!isMoving(shown)) return null;
  return (
    <AllowedButton
      size="compact-sm"
      variant="default"
      reason={reason}
      loading={cancel.isPending}
      aria-label={`Cancel ${what}`}
      onClick={() => cancel.mutate(undefined)}
    >
      Cancel
    </AllowedButton>
  );
}
