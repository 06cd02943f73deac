import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { PageTitle } from '../../../ui/PageTitle.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { AllowedButton, RightsNote, useWhyNot } from '../../../ui/rights.tsx';
import { pageIn, useAddress } from '../../../ui/useAddress.ts';
import { useCreating } from '../../../ui/useCreating.ts';
import { CreateExport } from './CreateExport.tsx';
import { ExportTable } from './ExportTable.tsx';
import { NoExports } from './NoExports.tsx';
import { exportsQuery } from './queries.ts';

export function Page() {
  const [params, change] = useAddress();
  const exports = useQuery(exportsQuery(pageIn(params)));
  const [isCreating, { open, close }] = useCreating();
  const reason = useWhyNot()({ role: 'member', scope: 'exports:write' });
  return (
    <>
      <PageTitle
        title="Exports"
        about="Download runs, jobs and costs as files. We keep each file for 24 hours."
      >
        <AllowedButton reason={reason} onClick={open}>
          New export
        </AllowedButton>
      </PageTitle>
      <RightsNote reason={reason} />
      <Loaded query={exports} height={320}>
        {({ data, pagination }) =>
          pagination.total === 0 ? (
            <NoExports />
          ) : (
            <Panel title="All exports">
              <ExportTable exports={data} isPart={pagination.total > data.length} reason={reason} />
              <Pager
                pagination={pagination}
                one="export"
                onPage={(page) => change({ page: page === 1 ? null : String(page) })}
              />
            </Panel>
          )
        }
      </Loaded>
      {isCreating && reason === null && <CreateExport onClose={close} />}
    </>
  );
}
