import { Button, Stack } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { datesTitle } from '../../../analysis/ranges.ts';
import { api } from '../../../api/client.ts';
import { moneyColumn, textColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { Confirm, Dialog } from '../../../ui/Dialog.tsx';
import { count } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { SmallButton, useWhyNot } from '../../../ui/rights.tsx';
import { Note, When } from '../../../ui/text.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { BadLines } from './ImportResult.tsx';
import { ofReports, useReports, type Report } from './queries.ts';
import { formatWords } from './words.ts';

export function Reports() {
  const [page, setPage] = useState(1);
  const [deleting, setDeleting] = useState<Report | null>(null);
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
              columns={columnsFor(reason, setShowing, setDeleting)}
              isPart={pagination.total > data.length}
              isStacked
            />
            {pagination.total > pagination.per_page && (
              <Pager pagination={pagination} one="report" onPage={setPage} />
            )}
          </Stack>
        )}
      </Loaded>
      {deleting && <DeleteReport report={deleting} onClose={() => setDeleting(null)} />}
      {showing && (
        <Dialog title={showing.file_name} onClose={() => setShowing(null)}>
          <BadLines report={showing} />
        </Dialog>
      )}
    </Panel>
  );
}

function columnsFor(
  reason: string | null,
  onShow: (report: Report) => void,
  onDelete: (report: Report) => void,
): Column<Report>[] {
  return [
    {
      title: 'File',
      value: ({ file_name: name }) => name,
      cell: ({ file_name: name, imported_at: at }) => (
        <>
          <span>{name}</span>
          <Note size="xs" className="row-note">
            <When at={at} />
          </Note>
        </>
      ),
    },
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
    {
      title: 'Actions',
      cell: (report) => (
        <SmallButton
          px={4}
          {...(reason === null && { 'data-hint': 'Delete' })}
          reason={reason}
          onClick={() => onDelete(report)}
          aria-label={`Delete ${report.file_name}`}
        >
          <IconTrash size={16} />
        </SmallButton>
      ),
    },
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

function DeleteReport({ report, onClose }: { report: Report; onClose: () => void }) {
  const removal = useChange({
    act: () => api.DELETE('/api/v1/bills/reports/{id}', { params: { path: { id: report.id } } }),
    done: 'Report deleted.',
    refresh: ofReports,
  });
  return (
    <Confirm
      title="Delete this report?"
      label="Delete report"
      change={removal}
      onConfirm={() => removal.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      {report.file_name} no longer counts. If an earlier report covers the same days, that report counts
      instead.
    </Confirm>
  );
}
