import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { Loaded } from '../../../ui/Loaded.tsx';
import { PageTitle } from '../../../ui/PageTitle.tsx';
import { RightsNote } from '../../../ui/rights.tsx';
import { useAlerts, useWhyNoChange } from './alertQueries.ts';
import { AlertsTable } from './AlertsTable.tsx';
import { NoAlerts } from './NoAlerts.tsx';

export function Page() {
  const alerts = useAlerts();
  const reason = useWhyNoChange();
  return (
    <>
      <PageTitle title="Budgets and alerts" about="Get notified when CI costs too much.">
        {reason === null && (
          <Button component={Link} href="/alerts/new">
            New alert
          </Button>
        )}
      </PageTitle>
      <RightsNote reason={reason} />
      <Loaded query={alerts} height={320}>
        {(list) => (list.length === 0 ? <NoAlerts /> : <AlertsTable alerts={list} />)}
      </Loaded>
    </>
  );
}
