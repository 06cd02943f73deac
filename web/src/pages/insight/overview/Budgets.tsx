import { Anchor, Group, Skeleton, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { BurnUp } from '../../../charts/BurnUp.tsx';
import { Keys } from '../../../charts/Legend.tsx';
import { isRefusal } from '../../../ui/Failed.tsx';
import { dollars, roundedDollars, shortDay } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { useAlerts } from '../../outreach/alerts/alertQueries.ts';
import type { ListedAlert } from '../../outreach/alerts/types.ts';
import { scopeInWords } from '../../outreach/alerts/words.ts';
import { budgetStatus, shareOf } from './budgets.ts';
import { useBudgetForecasts, type Budget } from './queries.ts';

/** Each takes one request. */
const maxAsked = 6;
const maxShown = 3;
const rowHeight = 152;

export function Budgets() {
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
          const budgets = all.filter(({ enabled, alert_type }) => enabled && alert_type === 'budget');
          return budgets.length > 0 ? <Forecasts alerts={budgets} /> : <NoBudgets />;
        }}
      </Loaded>
    </Panel>
  );
}

function NoBudgets() {
  return (
    <Text size="sm" c="dimmed">
      A budget shows when the month will go over it.{' '}
      <Anchor component={Link} href="/alerts/new" inherit underline="always">
        Set a budget
      </Anchor>
    </Text>
  );
}

/** The worst of those asked for; triggered ones are asked for first. */
function Forecasts({ alerts }: { alerts: readonly ListedAlert[] }) {
  const open = (alert: ListedAlert) => (alert.state === 'triggered' ? 0 : 1);
  const asked = alerts.toSorted((a, b) => open(a) - open(b)).slice(0, maxAsked);
  const answers = useBudgetForecasts(asked);
  if (answers.some(({ isPending }) => isPending))
    return (
      <Stack gap="lg" aria-busy="true">
        {asked.slice(0, maxShown).map(({ id }) => (
          <Skeleton key={id} height={rowHeight} />
        ))}
      </Stack>
    );
  const budgets = asked.flatMap((alert, index): Budget[] => {
    const forecast = answers[index]?.data?.forecast;
    return forecast ? [{ alert, forecast }] : [];
  });
  const worst = budgets.toSorted((a, b) => shareOf(b) - shareOf(a)).slice(0, maxShown);
  if (worst.length === 0)
    return (
      <Text size="sm" c="dimmed">
        The forecasts of the budgets failed to load.
      </Text>
    );
  return (
    <Stack gap="lg">
      {worst.map((budget) => (
        <BudgetRow key={budget.alert.id} budget={budget} />
      ))}
      <Keys
        keys={[
          { title: 'Spent', kind: 'line', color: 'var(--series-1)' },
          { title: 'Forecast', kind: 'dashed', color: 'var(--series-1)' },
          { title: 'Likely range', kind: 'band', color: 'var(--series-1)' },
          { title: 'Budget', kind: 'line', color: 'var(--chart-over)' },
        ]}
      />
    </Stack>
  );
}

function BudgetRow({ budget }: { budget: Budget }) {
  const { alert, forecast } = budget;
  const { text, isOver } = budgetStatus(budget);
  const scope = scopeInWords(alert.scope);
  const used = `${dollars(forecast.spent)} of ${roundedDollars(alert.threshold_amount)}`;
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="baseline">
        <Text size="sm" fw={500} truncate>
          <Anchor component={Link} href={`/alerts/${alert.id}`} inherit>
            {alert.name}
          </Anchor>{' '}
          {scope !== null && scope !== alert.name && (
            <Text span inherit fw={400} c="dimmed">
              {scope}
            </Text>
          )}
        </Text>
        <Text size="sm" c="dimmed" className="number" style={{ whiteSpace: 'nowrap' }}>
          {used}
        </Text>
      </Group>
      <Text size="sm" className={isOver ? 'is-up' : undefined} fw={isOver ? 600 : 400}>
        {text}
      </Text>
      <BurnUp forecast={forecast} limit={alert.threshold_amount} label={`${used}. ${text}`} />
      <Group justify="space-between" fz="xs" c="dimmed">
        <span>{shortDay(forecast.period.start)}</span>
        <span>{shortDay(forecast.period.end)}</span>
      </Group>
    </Stack>
  );
}
