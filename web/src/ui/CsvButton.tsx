import { Button } from '@mantine/core';
import type { Column } from './columns.ts';
import { csvOf } from './csv.ts';
import { downloadFile } from './download.ts';

type Props<Row> = {
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  name: string;
};

export function CsvButton<Row>({ rows, columns, name }: Props<Row>) {
  const save = () => downloadFile(new Blob([csvOf(rows, columns)], { type: 'text/csv' }), `${name}.csv`);
  return (
    <Button size="compact-sm" variant="default" disabled={rows.length === 0} onClick={save}>
      CSV
    </Button>
  );
}
