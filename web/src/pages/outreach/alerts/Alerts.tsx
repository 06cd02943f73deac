import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { useAlerts, useMeasurements } from '../../../alerts/queries.ts';
import { Failed } from '../../../ui/Failed.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Loading } from '../../../ui/Loading.tsx';
import { isOutage, isRefusal } from '../../../ui/outages.ts';
import { PageTitle } from '../../../ui/PageTitle.tsx';
import { RightsNote } from '../../../ui/rights.tsx';
import { useWhyNoChange } from './alertQueries.ts';
import { AlertsTable } from './AlertsTable.tsx';
import { MeasurementsContext } from './Measured.tsx';
import { NoAlerts } from './NoAlerts.tsx';

export function Page() {
  const alerts = useAlerts();
  const measured = useMeasurements();
  const reason = useWhyNoChange();
  return (
    <>
      <PageTitle title="Budgets and alerts" about="Get notified when CI costs too much.">
        {reason === null && (
          <Button
            component={Link}
            href="/alerts/new"
            variant={alerts.data?.length === 0 ? 'default' : 'filled'}
          >
            New alert
          </Button>
        )}
      </PageTitle>
      <RightsNote reason={reason} />
      {/* The frame explains an outage. A refusal also covers the alerts below. */}
      {measured.error && !measured.data && !isRefusal(measured.error) && !isOutage(measured.error) && (
        <Failed error={measured.error} retry={() => void measured.refetch()} />
      )}
      {measured.isPending && alerts.data?.length !== 0 && !alerts.error ? (
        // The amounts decide the order, so the list waits for them and does not jump.
        <Loading height={480} />
      ) : (
        <MeasurementsContext value={measured.data ?? 'failed'}>
          <Loaded query={alerts} height={480}>
            {(list) => (list.length === 0 ? <NoAlerts /> : <AlertsTable alerts={list} />)}
          </Loaded>
        </MeasurementsContext>
      )}
    </>
  );
}
