import { Grid, Stack } from '@mantine/core';
import { isNotFound } from '../../../ui/Failed.tsx';
import { PageTitle } from '../../../ui/PageTitle.tsx';
import { dayIn, oneOf, useAddress, useDropped } from '../../../ui/useAddress.ts';
import { useFollowing } from '../../../ui/useFollowing.ts';
import { CostPanel } from './CostPanel.tsx';
import { DayDialog } from './DayDialog.tsx';
import { overviewDays } from './days.ts';
import { EndedPriceList } from './EndedPriceList.tsx';
import { FirstSteps } from './FirstSteps.tsx';
import { FlagDialog, flagNames } from './FlagDialog.tsx';
import { OpenAlerts } from './OpenAlerts.tsx';
import {
  leastSecondsBetweenSums,
  runSums,
  useDay,
  useOutlook,
  useRecentRuns,
  useUnknowns,
} from './queries.ts';
import { RecentRuns } from './RecentRuns.tsx';
import { Summary } from './Summary.tsx';
import { TopWorkflows } from './TopWorkflows.tsx';
import { UnknownsPanel } from './UnknownsPanel.tsx';

export function Page() {
  const runs = useRecentRuns();
  const unknowns = useUnknowns();
  useFollowing(runs.data, runSums, leastSecondsBetweenSums);
  const isEmpty = runs.data?.length === 0 && unknowns.data?.last_event_at === null;
  return (
    <>
      <PageTitle title="Overview" about={`The last ${overviewDays} days in US dollars; days are UTC`} />
      {isEmpty ? <FirstSteps /> : <Costs />}
    </>
  );
}

function Costs() {
  const [params, change] = useAddress();
  const day = dayIn(params, 'day');
  // The plan may not show it, or it is yet to come.
  const isHiddenDay = isNotFound(useDay(day).error);
  useDropped(['day'], params.has('day') && (day === null || isHiddenDay));
  const flag = oneOf(flagNames, params.get('flag'), null);
  const outlook = useOutlook();
  // A banner that came later would push down what is read, so the rest waits for it, but not for long.
  const isUnsure = outlook.isPending && outlook.failureCount === 0;
  return (
    <Stack gap="md" className={isUnsure ? 'unsure' : undefined}>
      <EndedPriceList />
      <Summary />
      <CostPanel onDay={(opened) => change({ day: opened })} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <TopWorkflows />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack gap="md">
            <OpenAlerts />
            <UnknownsPanel />
          </Stack>
        </Grid.Col>
      </Grid>
      <RecentRuns />
      {day && !isHiddenDay && <DayDialog day={day} onClose={() => change({ day: null })} />}
      {!day && flag && <FlagDialog key={flag} flag={flag} onClose={() => change({ flag: null })} />}
    </Stack>
  );
}
