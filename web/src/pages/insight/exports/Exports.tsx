import { IconFileDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCommandLine } from '../../../api/session.ts';
import { CommandFold } from '../../../ui/Command.tsx';
import { PageTitle, SectionTitle } from '../../../ui/Panel.tsx';
import { ResourcePanel } from '../../../ui/ResourcePanel.tsx';
import { AllowedButton, RightsNote, useWhyNot } from '../../../ui/rights.tsx';
import { pageIn, useAddress } from '../../../ui/useAddress.ts';
import { useCreating } from '../../../ui/useCreating.ts';
import { CreateExport } from './CreateExport.tsx';
import { exportColumns } from './exportColumns.tsx';
import { exportsQuery } from './queries.ts';
import { ScheduledExports } from './ScheduledExports.tsx';

export function Page() {
  const [params] = useAddress();
  const exports = useQuery(exportsQuery(pageIn(params)));
  const [isCreating, { open, close }] = useCreating();
  const whyNot = useWhyNot();
  const reason = whyNot({ role: 'member', scope: 'exports:write' });
  const isAdmin = whyNot({ role: 'admin', scope: 'admin' }) === null;
  const create = (
    <AllowedButton reason={reason} onClick={open}>
      New export
    </AllowedButton>
  );
  return (
    <>
      <PageTitle
        title="Exports"
        about="Download runs, jobs and costs as files. Each file stays for 24 hours."
      >
        {exports.data?.pagination.total !== 0 && create}
      </PageTitle>
      <RightsNote reason={reason} />
      {isAdmin && <SectionTitle>Downloads</SectionTitle>}
      <ResourcePanel
        label="Exports"
        query={exports}
        pagesOf="export"
        columns={exportColumns(reason)}
        minWidth={940}
        empty={{
          icon: IconFileDownload,
          title: 'No exports yet',
          text: 'A file with your runs, jobs or costs, for a spreadsheet, a data warehouse or a FinOps tool that reads FOCUS.',
          action: create,
          more: <ExportCommand />,
        }}
      >
        {isCreating && reason === null && <CreateExport onClose={close} />}
      </ResourcePanel>
      {isAdmin && (
        // Rendered at once so that it starts to load, but hidden until the height of the list above is known.
        <div hidden={exports.isPending}>
          <ScheduledExports />
        </div>
      )}
    </>
  );
}

function ExportCommand() {
  const command = `${useCommandLine()} export \\
  --dataset jobs --format csv \\
  ${lastMonth()} --output jobs.csv`;
  return (
    <CommandFold
      title="From the command line"
      label="Command that writes an export to a file"
      command={command}
    />
  );
}

/** The last month in UTC days, as exports expect. */
function lastMonth(): string {
  const now = new Date();
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const day = (of: number) => new Date(of).toISOString().slice(0, 10);
  return `--from ${day(Date.UTC(year, month - 1, 1))} --to ${day(Date.UTC(year, month, 0))}`;
}
