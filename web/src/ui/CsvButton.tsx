import { Button, type ButtonProps } from '@mantine/core';
import type { Column } from './columns.ts';
import { csvOf } from './csv.ts';
import { downloadFile } from './download.ts';
import { SmallButton } from './rights.tsx';
import { useChange } from './useChange.ts';

type Props<Row> = { rows: readonly Row[]; columns: readonly Column<Row>[]; name: string };

export function CsvButton<Row>({ rows, columns, name }: Props<Row>) {
  const save = () => downloadFile(new Blob([csvOf(rows, columns)], { type: 'text/csv' }), `${name}.csv`);
  return (
    <SmallButton disabled={rows.length === 0} onClick={save}>
      CSV
    </SmallButton>
  );
}

type DownloadProps = ButtonProps & { read: () => Promise<Blob>; name: string };

/** Saves a table that the server writes. */
export function CsvDownload({ read, name, ...props }: DownloadProps) {
  const csv = useChange({ act: async () => downloadFile(await read(), name) });
  return (
    <Button
      size="compact-sm"
      variant="default"
      {...props}
      loading={csv.isPending}
      onClick={() => csv.mutate(undefined)}
    >
      CSV
    </Button>
  );
}
