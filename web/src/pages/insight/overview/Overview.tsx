import { Grid, Stack } from '@mantine/core';
import { isNotFound } from '../../../ui/Failed.tsx';
import { PageTitle } from '../../../ui/PageTitle.tsx';
import { dayIn, oneOf, useAddress, useDropped } from '../../../ui/useAddress.ts';
import { useFollowing } from '../../../ui/useFollowing.ts';
import { CostPanel } from './CostPanel.tsx';
import { DataQualityPanel } from './DataQualityPanel.tsx';
import { DayDialog } from './DayDialog.tsx';
import { overviewDays } from './days.ts';
import { EndedPriceList } from './EndedPriceList.tsx';
import { FirstSteps } from './FirstSteps.tsx';
import { FlagDialog, flagNames } from './FlagDialog.tsx';
import { OpenAlerts } from './OpenAlerts.tsx';
import {
  minSecondsBetweenSums,
  runSums,
  useDay,
  useOutlook,
  useRecentRuns,
  useDataQuality,
} from './queries.ts';
import { RecentRuns } from './RecentRuns.tsx';
import { Summary } from './Summary.tsx';
import { TopWorkflows } from './TopWorkflows.tsx';

export function Page() {
  const runs = useRecentRuns();
  const quality = useDataQuality();
  useFollowing(runs.data, runSums, minSecondsBetweenSums);
  const isEmpty = runs.data?.length === 0 && quality.data?.last_event_at === null;
  return (
    <>
      <PageTitle title="Overview" about={`Last ${overviewDays} days, in US dollars. Days are UTC.`} />
      {isEmpty ? <FirstSteps /> : <Costs />}
    </>
  );
}

function Costs() {
  const [params, change] = useAddress();
  const day = dayIn(params, 'day');
  // The plan may not show the day, or it is in the future.
  const isHiddenDay = isNotFound(useDay(day).error);
  useDropped(['day'], params.has('day') && (day === null || isHiddenDay));
  const flag = oneOf(flagNames, params.get('flag'), null);
  const outlook = useOutlook();
  // A late banner would push the page down, so the rest waits for it, but not for long.
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
            <DataQualityPanel />
          </Stack>
        </Grid.Col>
      </Grid>
      <RecentRuns />
      {day && !isHiddenDay && <DayDialog day={day} onClose={() => change({ day: null })} />}
      {!day && flag && <FlagDialog key={flag} flag={flag} onClose={() => change({ flag: null })} />}
    </Stack>
  );
}
