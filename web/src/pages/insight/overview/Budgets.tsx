import { Anchor, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { BudgetBurnUp, BurnUpKeys, usedInWords, type Forecast } from '../../../alerts/BudgetBurnUp.tsx';
import { expectedShare, percentOf } from '../../../alerts/budgets.ts';
import { useAlerts, useMeasurements } from '../../../alerts/queries.ts';
import type { ListedAlert, Measurement } from '../../../alerts/types.ts';
import { scopeInWords } from '../../../alerts/words.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { isRefusal } from '../../../ui/outages.ts';
import { Panel } from '../../../ui/Panel.tsx';
import { RepositoryName, sharedOwner } from '../../../ui/RepositoryName.tsx';

const maxShown = 3;
const rowHeight = 92;

type Props = {
  /** Of all. */
  isShown?: (alert: ListedAlert) => boolean;
  newAddress?: string;
  /** Of one thing, such as `workflow`. */
  what?: string;
};

export function Budgets({ isShown = () => true, newAddress = '/alerts/new', what }: Props) {
  const alerts = useAlerts();
  // The panel of open alerts says it.
  if (isRefusal(alerts.error)) return null;
  return (
    <Panel
      title="Budgets"
      aside={
        <Anchor component={Link} href="/alerts" size="sm">
          All budgets
        </Anchor>
      }
    >
      <Loaded query={alerts} height={rowHeight}>
        {(all) => {
          const shown = all.filter(isBudget).filter(isShown);
          return shown.length > 0 ? (
            <Forecasts alerts={shown} />
          ) : (
            <NoBudgets newAddress={newAddress} what={what} />
          );
        }}
      </Loaded>
    </Panel>
  );
}

function NoBudgets({ newAddress, what }: { newAddress: string; what: string | undefined }) {
  return (
    <Group justify="space-between" gap="xs">
      <Text size="sm" c="dimmed">
        {what ? `This ${what} has no budget.` : 'Know before the month goes over.'}
      </Text>
      <Button component={Link} href={newAddress} size="xs" variant="light">
        Set a budget
      </Button>
    </Group>
  );
}

type Budget = { alert: ListedAlert; forecast: Forecast };

/** Those that are heading furthest over, or nearest to it. */
function Forecasts({ alerts }: { alerts: readonly ListedAlert[] }) {
  const measurements = useMeasurements();
  if (measurements.isPending)
    return (
      <Stack gap="md" aria-busy="true">
        {alerts.slice(0, maxShown).map(({ id }) => (
          <Skeleton key={id} height={rowHeight} />
        ))}
      </Stack>
    );
  return <Loaded query={measurements}>{(measured) => <Worst alerts={alerts} measured={measured} />}</Loaded>;
}

type WorstProps = { alerts: readonly ListedAlert[]; measured: ReadonlyMap<string, Measurement> };

/** The budgets that the panel shows, of these. */
export function worstOf({ alerts, measured }: WorstProps): Budget[] {
  const budgets = alerts.filter(isBudget).flatMap((alert): Budget[] => {
    const forecast = measured.get(alert.id)?.forecast;
    return forecast ? [{ alert, forecast }] : [];
  });
  const share = ({ alert, forecast }: Budget) => expectedShare(alert.threshold_amount, forecast);
  return budgets.toSorted((a, b) => share(b) - share(a)).slice(0, maxShown);
}

const isBudget = ({ enabled, alert_type: type }: ListedAlert) => enabled && type === 'budget';

function Worst(props: WorstProps) {
  return (
    <Stack gap="md">
      {worstOf(props).map((budget) => (
        <BudgetRow key={budget.alert.id} budget={budget} />
      ))}
      <BurnUpKeys />
    </Stack>
  );
}

function BudgetRow({ budget }: { budget: Budget }) {
  const { alert, forecast } = budget;
  const limit = alert.threshold_amount;
  const scope = scopeInWords(alert.scope);
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="baseline">
        <Text size="sm" fw={500} truncate>
          <Anchor component={Link} href={`/alerts/${alert.id}`} inherit>
            {alert.name}
          </Anchor>{' '}
          {scope !== null && scope !== alert.name && (
            <Text span inherit fw={400} c="dimmed">
              <RepositoryName name={scope} owner={sharedOwner([scope])} />
            </Text>
          )}
        </Text>
        <Text size="sm" c="dimmed" className="number" style={{ whiteSpace: 'nowrap' }}>
          {usedInWords({ limit, forecast })}, {percentOf(forecast.spent, limit)}
        </Text>
      </Group>
      <BudgetBurnUp limit={limit} forecast={forecast} />
    </Stack>
  );
}
