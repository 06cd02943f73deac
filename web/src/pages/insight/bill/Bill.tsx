import { Stack, Text } from '@mantine/core';
import { Empty } from '../../../ui/Empty.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { PageTitle } from '../../../ui/PageTitle.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { useAddress } from '../../../ui/useAddress.ts';
import { askedBy, filterIn, isNarrowed, type Filter } from './filter.ts';
import { Filters } from './Filters.tsx';
import { ImportReports, WhereToGet } from './ImportReports.tsx';
import { NotCompared } from './NotCompared.tsx';
import { useReconciliation, useReports, type Reconciliation } from './queries.ts';
import { Reports } from './Reports.tsx';
import { RowsTable } from './RowsTable.tsx';
import { Totals } from './Totals.tsx';

export function Page() {
  const reports = useReports(1);
  return (
    <>
      <PageTitle title="Bill" about="Compare GitHub's bill with the costs that Runcost counted." />
      <ImportReports />
      <Loaded query={reports} height={480}>
        {({ pagination }) => (pagination.total === 0 ? <NoReports /> : <Compared />)}
      </Loaded>
    </>
  );
}

function NoReports() {
  return (
    <Empty title="No bill reports yet">
      <WhereToGet />
    </Empty>
  );
}

function Compared() {
  const [params, change] = useAddress();
  const filter = filterIn(params);
  const found = useReconciliation(askedBy(filter));
  return (
    <>
      <Filters filter={filter} period={found.data?.period ?? null} onChange={change} />
      <Loaded query={found} height={720}>
        {(data) => (
          <Stack gap="md" aria-busy={found.isPlaceholderData}>
            <Totals found={data} />
            <Panel title="Runcost vs. bill">
              <Rows data={data} filter={filter} />
              <Pager
                pagination={data.pagination}
                one="row"
                onPage={(page) => change({ page: page === 1 ? null : String(page) })}
              />
            </Panel>
            <NotCompared products={data.not_compared} />
          </Stack>
        )}
      </Loaded>
      <Reports />
      <Text size="sm" c="dimmed">
        <WhereToGet />
      </Text>
    </>
  );
}

function Rows({ data, filter }: { data: Reconciliation; filter: Filter }) {
  if (data.data.length > 0) return <RowsTable rows={data.data} by={filter.by} />;
  if (data.pagination.total > 0) return <Empty title="Nothing on this page" />;
  if (data.period === null) {
    return <Empty title="No days to compare">These reports cover days outside your plan’s retention.</Empty>;
  }
  return (
    <Empty title={isNarrowed(filter) ? 'No matching rows' : 'No GitHub Actions minutes'}>
      {isNarrowed(filter)
        ? 'Clear the filters to see all rows.'
        : 'Neither Runcost nor the bill has any on these days.'}
    </Empty>
  );
}
