import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { Suspense, type ReactNode } from 'react';
import { Link } from 'wouter';
import { late } from '../../ui/late.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Note } from '../../ui/text.tsx';
import { alertType } from './alertTypes.ts';
import { isBudget, maxWorst, worstOf } from './budgets.ts';
import { useAlerts, useMeasurements } from './queries.ts';
import type { ListedAlert } from './types.ts';

// Loaded separately, because its amounts arrive late anyway.
const BudgetRows = late(() => import('./BudgetRows.tsx'), 'BudgetRows');

const rowHeight = 92;
/** Of a budget without a forecast. */
const lowHeight = 52;

type Props = {
  isShown?: (alert: ListedAlert) => boolean;
  newAddress?: string;
  /** What the budgets are about, such as `workflow`. */
  what?: string;
  /** Below the budgets. */
  children?: ReactNode;
};

export function Budgets({ isShown = () => true, newAddress = '/alerts/new', what, children }: Props) {
  const alerts = useAlerts();
  return (
    <Panel title="Budgets" more={{ href: '/alerts', label: 'All budgets' }}>
      <Loaded query={alerts} height={rowHeight}>
        {(all) => {
          const shown = all.filter(isBudget).filter(isShown);
          return (
            <>
              {shown.length > 0 ? (
                <Forecasts alerts={shown} />
              ) : (
                <NoBudgets newAddress={newAddress} what={what} />
              )}
              {children}
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function NoBudgets({ newAddress, what }: { newAddress: string; what: string | undefined }) {
  return (
    <Group justify="space-between" gap="xs">
      <Note>{what ? `This ${what} has no budget.` : 'Know before the month goes over.'}</Note>
      <Button component={Link} href={newAddress} size="xs" variant="light">
        Set a budget
      </Button>
    </Group>
  );
}

/** The budgets that are furthest over their limit or closest to it. */
function Forecasts({ alerts }: { alerts: readonly ListedAlert[] }) {
  const measurements = useMeasurements();
  const loading = (
    <Stack gap="md" aria-busy="true">
      {alerts.slice(0, maxWorst).map((alert) => (
        <Skeleton key={alert.id} height={alertType(alert).has_forecast ? rowHeight : lowHeight} />
      ))}
    </Stack>
  );
  if (measurements.isPending) return loading;
  return (
    <Loaded query={measurements}>
      {(measured) => (
        <Suspense fallback={loading}>
          <BudgetRows budgets={worstOf(alerts, measured)} />
        </Suspense>
      )}
    </Loaded>
  );
}
