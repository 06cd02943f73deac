import '../../../charts/charts.css';
import '../../../analysis/analysis.css';
import './bill.css';
import { Button, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { Waterfall } from '../../../charts/Waterfall.tsx';
import { Figure, Figures } from '../../../ui/Figure.tsx';
import { Failed, Loaded } from '../../../ui/Loaded.tsx';
import { PageTitle, Panel } from '../../../ui/Panel.tsx';
import { Note } from '../../../ui/text.tsx';
import { useAddress } from '../../../ui/useAddress.ts';
import { Accounts } from './Accounts.tsx';
import { Comparison } from './Comparison.tsx';
import { askedBy, filterIn, isNarrowed, monthsOf } from './filter.ts';
import { ImportReports, WhereToGet } from './ImportReports.tsx';
import { MonthClose } from './MonthClose.tsx';
import { MonthTabs } from './MonthTabs.tsx';
import { OtherProducts } from './Products.tsx';
import {
  type BilledMonth,
  useAccounts,
  useBilledMonths,
  useMonths,
  useReconciliation,
  useReports,
} from './queries.ts';
import { Reports } from './Reports.tsx';
import { RowsPanel } from './RowsPanel.tsx';

export function Page() {
  const [params] = useAddress();
  return params.get('view') === 'close' ? <MonthClose /> : <BillPage />;
}

function BillPage() {
  const reports = useReports(1);
  // Above the reports, which must not move when they appear.
  const accounts = useAccounts();
  const hasReports = (reports.data?.pagination.total ?? 0) > 0;
  const title = {
    title: 'Bill',
    about: "Compare GitHub's bill with the costs that Runcost counted.",
  };
  const billed = useBilledMonths();
  const [, change] = useAddress();
  // `isPending` comes back when the panel of the accounts asks again after a failure, and would remove that panel.
  if ((reports.data === undefined && !reports.error) || !accounts.isFetched || !billed.isFetched)
    return (
      <>
        <PageTitle {...title} />
        <Loading />
      </>
    );
  return (
    <>
      {/* One element with and without reports, so that an import continues when its report appears. */}
      <ImportReports
        {...title}
        isCollapsed={hasReports}
        actions={
          <Button variant="default" size="xs" onClick={() => change({ view: 'close' })}>
            Month close
          </Button>
        }
      >
        {!hasReports && <Accounts />}
      </ImportReports>
      {reports.error && !reports.data ? (
        <Failed error={reports.error} retry={() => void reports.refetch()} />
      ) : hasReports ? (
        <Compared billed={billed.data ?? []} />
      ) : (
        <Example />
      )}
    </>
  );
}

function Compared({ billed }: { billed: readonly BilledMonth[] }) {
  const [params, change] = useAddress();
  const months = monthsOf(billed, new Date().toISOString().slice(0, 10));
  const filter = filterIn(params, months);
  const found = useReconciliation(askedBy(filter));
  const isLoading = found.isPending && !found.error;
  const all = useMonths({ enabled: !found.isPending });
  const isWhole = found.data && !found.isPlaceholderData && !isNarrowed(filter);
  const rows = all.data?.data ?? (isWhole ? [{ ...found.data.totals, month: filter.month }] : []);
  return (
    <>
      {months.length > 0 && (
        <MonthTabs
          months={months}
          rows={rows}
          billed={billed}
          isLoading={all.isPending}
          chosen={filter.month}
          onMonth={(month) => change({ month: month === months[0] ? null : month })}
        />
      )}
      <div id="bill-month" role={months.length > 0 ? 'tabpanel' : undefined} aria-label="Comparison">
        {isLoading ? (
          <LoadingMonth />
        ) : (
          <Loaded query={found}>
            {(data) => (
              <Stack
                gap="md"
                aria-busy={found.isPlaceholderData}
                className={found.isPlaceholderData ? 'is-stale' : ''}
              >
                <Comparison
                  found={data}
                  measure={filter.measure}
                  onMeasure={(metric) => change({ metric: metric === 'cost' ? null : metric })}
                />
                <RowsPanel found={data} filter={filter} onChange={change} />
                <OtherProducts
                  billed={data.not_compared}
                  month={billed.find(({ month }) => month === filter.month)}
                  part={filter.repository}
                />
              </Stack>
            )}
          </Loaded>
        )}
      </div>
      <Accounts />
      <Reports />
      <Note>
        <WhereToGet />
      </Note>
    </>
  );
}

function Loading() {
  return (
    <Stack gap="md">
      <Skeleton height={41} />
      <LoadingMonth />
    </Stack>
  );
}

/** As tall as the window; otherwise the reports below would jump while they are visible. */
function LoadingMonth() {
  return (
    <Stack gap="md" mih="100vh" aria-busy="true">
      <VisuallyHidden role="status">Loading</VisuallyHidden>
      <Figures>
        {['Billed for minutes', 'Difference', 'Agreed discounts', 'Without a report'].map((label) => (
          <Figure
            key={label}
            label={label}
            value={<Skeleton height="0.9em" width="70%" my="0.2em" />}
            note={<Skeleton height={12} width="90%" mt={6} />}
          />
        ))}
      </Figures>
      <Skeleton height={250} />
      <Skeleton height={480} />
    </Stack>
  );
}

const steps = [
  { key: 'public', label: 'Public repository', amount: -640 },
  { key: 'included', label: 'Included minutes', amount: -400 },
  { key: 'discount', label: 'Other discount', amount: -190 },
  { key: 'unpriced', label: 'Unpriced', amount: 85 },
].map((step) => ({ ...step, about: '' }));

function Example() {
  return (
    <Panel title="What you will see" aside={<Note>Example</Note>}>
      <Text size="sm" maw={720}>
        For each month, the way from what Runcost counted to what GitHub billed, and what did not match by
        repository, SKU and day.
      </Text>
      <Waterfall
        label="Example of a comparison"
        before={{ label: 'List cost', amount: 4_210 }}
        steps={steps}
        now={{ label: 'Billed', amount: 3_065 }}
      />
    </Panel>
  );
}
