import { Text } from '@mantine/core';
import { Explained } from '../../../ui/Explained.tsx';
import { Failed } from '../../../ui/Failed.tsx';
import { Figure, Figures } from '../../../ui/Figure.tsx';
import { FigureLink, MoneyLink } from '../../../ui/FigureLink.tsx';
import { count, countOf, dollars, exactDollars, monthName } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Money } from '../../../ui/Money.tsx';
import { Trend } from '../../../ui/Trend.tsx';
import { overviewDays } from './days.ts';
import { headlineOf } from './forecast.ts';
import { ForecastExplained } from './ForecastExplained.tsx';
import { useForecast, useSummary, useTrends, type Forecast, type Trends } from './queries.ts';

/** Heights of a figure with one and with two lines below it. */
const height = 113;
const tallHeight = 131;

export function Summary() {
  const summary = useSummary();
  const before = beforeOf(useTrends().data?.data);
  if (summary.error && !summary.data)
    return <Failed error={summary.error} retry={() => void summary.refetch()} />;
  return (
    <Figures>
      <Loaded query={summary} height={height}>
        {({ total_cost, trend_percent }) => (
          <Figure
            label={`Cost, last ${overviewDays} days`}
            value={
              <MoneyLink
                amount={total_cost}
                href={`/workflows?days=${overviewDays}`}
                to="workflows by cost"
              />
            }
            note={
              // The API says 100% for a rise from nothing, which is no percentage.
              before?.cost === 0 && total_cost > 0 ? (
                `No cost in the previous ${overviewDays} days`
              ) : (
                <>
                  <Trend percent={trend_percent} isCost /> vs previous {overviewDays} days
                </>
              )
            }
          />
        )}
      </Loaded>
      <Loaded query={summary} height={height}>
        {({ total_runs }) => (
          <Figure
            label="Runs"
            value={
              <FigureLink
                value={count(total_runs)}
                href={`/workflows?days=${overviewDays}&sort_by=runs`}
                to="workflows by runs"
              />
            }
            note={before && `vs ${count(before.runs)} in the previous ${overviewDays} days`}
          />
        )}
      </Loaded>
      <Loaded query={summary} height={height}>
        {({ avg_cost_per_run, total_cost, total_runs }) => (
          <Figure
            label="Cost per run"
            value={
              <Explained value={dollars(avg_cost_per_run)} label="How the cost per run is calculated">
                <Text inherit>
                  <Money amount={total_cost} /> in {overviewDays} days, divided by the{' '}
                  {countOf(total_runs, 'run')} created in them: {exactDollars(avg_cost_per_run)}.
                </Text>
                <Text inherit>A run in progress counts, with the cost of its completed jobs.</Text>
              </Explained>
            }
            note={
              before?.runs ? (
                <>
                  vs <Money amount={before.cost / before.runs} /> in the previous {overviewDays} days
                </>
              ) : null
            }
          />
        )}
      </Loaded>
      <MonthEnd />
    </Figures>
  );
}

/** Sums of the 30 days before the last 30; null if the plan does not show them. */
function beforeOf(days: Trends['data'] | undefined): { cost: number; runs: number } | null {
  const before = days?.slice(0, -overviewDays) ?? [];
  if (before.length < overviewDays) return null;
  return {
    cost: before.reduce((sum, { cost }) => sum + cost, 0),
    runs: before.reduce((sum, { runs }) => sum + runs, 0),
  };
}

function MonthEnd() {
  const forecast = useForecast();
  return (
    <Loaded query={forecast} height={tallHeight}>
      {(month) => (
        <Figure
          label={`Forecast for ${monthName(month.month)}`}
          value={
            <Explained value={headlineOf(month)} label="How the forecast is made">
              <ForecastExplained month={month} />
            </Explained>
          }
          note={<Band month={month} />}
        />
      )}
    </Loaded>
  );
}

function Band({ month: { low, high, spent, confidence } }: { month: Forecast }) {
  return (
    <>
      {low !== null && high !== null && (
        <>
          Likely range <Money amount={low} /> – <Money amount={high} />
          {confidence === 'low' && ', roughly'}
          <br />
        </>
      )}
      <Money amount={spent} /> so far
    </>
  );
}
