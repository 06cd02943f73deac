import { Grid, Stack } from '@mantine/core';
import { PageTitle } from '../shown/PageTitle.tsx';
import { CostPanel } from './overview/CostPanel.tsx';
import { FirstSteps } from './overview/FirstSteps.tsx';
import { OpenAlerts } from './overview/OpenAlerts.tsx';
import { overviewDays, useRecentRuns, useUnknowns } from './overview/queries.ts';
import { RecentRuns } from './overview/RecentRuns.tsx';
import { Summary } from './overview/Summary.tsx';
import { TopWorkflows } from './overview/TopWorkflows.tsx';
import { UnknownsPanel } from './overview/UnknownsPanel.tsx';

export function Page() {
  const runs = useRecentRuns();
  const unknowns = useUnknowns();
  const isEmpty = runs.data?.length === 0 && unknowns.data?.last_event_at === null;
  return (
    <>
      <PageTitle title="Overview" about={`The last ${overviewDays} days in US dollars; days are UTC`} />
      {isEmpty ? <FirstSteps /> : <Costs />}
    </>
  );
}

function Costs() {
  return (
    <>
      <Summary />
      <CostPanel />
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
    </>
  );
}
