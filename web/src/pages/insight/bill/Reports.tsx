import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { Confirm } from '../../../ui/Confirm.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { count, longDay } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Money } from '../../../ui/Money.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { AllowedButton, useWhyNot } from '../../../ui/rights.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { When } from '../../../ui/When.tsx';
import { breaking, Columns, WideTable } from '../../../ui/WideTable.tsx';
import { BadLines } from './ImportResult.tsx';
import { reconciliationKey, reportsKey, useReports, type Report } from './queries.ts';
import { formatWords } from './words.ts';

export function Reports() {
  const [page, setPage] = useState(1);
  const [deleting, setDeleting] = useState<Report | null>(null);
  const [showing, setShowing] = useState<Report | null>(null);
  const reports = useReports(page);
  return (
    <Panel title="Imported reports">
      <Loaded query={reports} height={160}>
        {({ data, pagination }) => (
          <Stack gap="sm">
            <WideTable keepsLast label="Imported reports" minWidth={860}>
              <Columns texts={['File', 'Type', 'Days', 'Lines']} numbers={['Gross', 'Net', 'Actions']} />
              <tbody>
                {data.map((report) => (
                  <ReportRow
                    key={report.id}
                    report={report}
                    onShow={() => setShowing(report)}
                    onDelete={() => setDeleting(report)}
                  />
                ))}
              </tbody>
            </WideTable>
            <Pager pagination={pagination} one="report" onPage={setPage} />
          </Stack>
        )}
      </Loaded>
      {deleting && <DeleteReport report={deleting} onClose={() => setDeleting(null)} />}
      {showing && (
        <Dialog size="lg" title={showing.file_name} onClose={() => setShowing(null)}>
          <BadLines report={showing} />
        </Dialog>
      )}
    </Panel>
  );
}

type RowProps = { report: Report; onShow: () => void; onDelete: () => void };

function ReportRow({ report, onShow, onDelete }: RowProps) {
  const { file_name: name, format, period, lines, totals, imported_at: at } = report;
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  return (
    <tr>
      <td style={breaking}>
        {name}
        <Text size="sm" c="dimmed">
          <When at={at} />
        </Text>
      </td>
      <td>{formatWords[format]}</td>
      <td>
        {longDay(period.start)} – {longDay(period.end)}
      </td>
      <td>
        {count(lines.kept)} kept
        {lines.skipped > 0 && (
          <>
            {', '}
            <Button size="compact-xs" variant="default" onClick={onShow}>
              {count(lines.skipped)} skipped
            </Button>
          </>
        )}
      </td>
      <td className="number">
        <Money amount={totals.gross} />
      </td>
      <td className="number">
        <Money amount={totals.net} />
      </td>
      <td className="number">
        <AllowedButton
          size="compact-xs"
          variant="default"
          reason={reason}
          onClick={onDelete}
          aria-label={`Delete ${name}`}
        >
          Delete
        </AllowedButton>
      </td>
    </tr>
  );
}

function DeleteReport({ report, onClose }: { report: Report; onClose: () => void }) {
  const { mutate, isPending } = useChange({
    act: () => api.DELETE('/api/v1/bills/reports/{id}', { params: { path: { id: report.id } } }),
    done: 'Report deleted.',
    refresh: [reportsKey, reconciliationKey],
  });
  return (
    <Confirm
      title="Delete this report?"
      label="Delete report"
      isBusy={isPending}
      onConfirm={() => mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      {report.file_name} no longer counts. If an earlier report covers the same days, that report counts
      instead.
    </Confirm>
  );
}
