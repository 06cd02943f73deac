import { Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { datesTitle } from '../../../analysis/ranges.ts';
import { api } from '../../../api/client.ts';
import { moneyColumn, nameColumn, textColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { count } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { useWhyNot } from '../../../ui/rights.tsx';
import type { Removal } from '../../../ui/rowActions.tsx';
import { When } from '../../../ui/text.tsx';
import { BadLines } from './ImportResult.tsx';
import { ofReports, useReports, type Report } from './queries.ts';
import { formatWords } from './words.ts';

export function Reports() {
  const [page, setPage] = useState(1);
  const [showing, setShowing] = useState<Report | null>(null);
  const reports = useReports(page);
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  return (
    <Panel title="Imported reports">
      <Loaded query={reports} height={160}>
        {({ data, pagination }) => (
          <Stack gap="sm">
            <DataTable
              label="Imported reports"
              minWidth={860}
              rows={data}
              columns={columnsFor(setShowing)}
              rowActions={reason === null ? { of: ({ file_name: name }) => name, remove: removal } : null}
              isPart={pagination.total > data.length}
              isStacked
            />
            {pagination.total > pagination.per_page && (
              <Pager pagination={pagination} one="report" onPage={setPage} />
            )}
          </Stack>
        )}
      </Loaded>
      {showing && (
        <Dialog title={showing.file_name} onClose={() => setShowing(null)}>
          <BadLines report={showing} />
        </Dialog>
      )}
    </Panel>
  );
}

const removal: Removal<Report> = {
  what: 'report',
  text: ({ file_name: name }) =>
    `${name} no longer counts. If an earlier report covers the same days, that report counts instead.`,
  act: ({ id }) => api.DELETE('/api/v1/bills/reports/{id}', { params: { path: { id } } }),
  done: () => 'Report deleted.',
  refresh: ofReports,
};

function columnsFor(onShow: (report: Report) => void): Column<Report>[] {
  return [
    nameColumn(
      'File',
      ({ file_name: name }) => name,
      ({ imported_at: at }) => <When at={at} />,
    ),
    textColumn('Type', ({ format }) => formatWords[format], { isHiddenOnPhones: true }),
    {
      title: 'Days',
      isPlain: true,
      value: ({ period }) => period.start,
      cell: ({ period }) => datesTitle({ from: period.start, to: period.end }),
    },
    {
      title: 'Lines',
      isNumber: true,
      value: ({ lines }) => lines.kept,
      cell: (report) => <Lines report={report} onShow={() => onShow(report)} />,
    },
    moneyColumn('Gross', ({ totals }) => totals.gross, { isHiddenOnPhones: true }),
    moneyColumn('Net', ({ totals }) => totals.net, { isMain: true }),
  ];
}

function Lines({ report: { lines }, onShow }: { report: Report; onShow: () => void }) {
  return (
    <>
      {count(lines.kept)}
      {lines.skipped > 0 && (
        <>
          {', '}
          <Button size="compact-xs" variant="default" onClick={onShow}>
            {count(lines.skipped)} skipped
          </Button>
        </>
      )}
    </>
  );
}
