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
import { HowProjected } from './HowProjected.tsx';
import { headlineOf } from './projectionParts.ts';
import { useProjection, useSummary, useTrends, type Projection, type Trends } from './queries.ts';

/** Of a figure with a line below it, and with two. */
const height = 113;
const tallHeight = 131;

/** The sums of the last 30 days, and the forecast of the month. */
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
            label={`Cost of ${overviewDays} days`}
            value={
              <MoneyLink
                amount={total_cost}
                href={`/workflows?days=${overviewDays}`}
                to="the workflows by cost"
              />
            }
            note={
              // From nothing to something is no percentage, though the API says 100.
              before?.cost === 0 && total_cost > 0 ? (
                `Nothing in the ${overviewDays} days before`
              ) : (
                <>
                  <Trend percent={trend_percent} /> than in the {overviewDays} days before
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
                to="the workflows by runs"
              />
            }
            note={before && `${count(before.runs)} in the 30 days before`}
          />
        )}
      </Loaded>
      <Loaded query={summary} height={height}>
        {({ avg_cost_per_run, total_cost, total_runs }) => (
          <Figure
            label="Cost per run"
            value={
              <Explained value={dollars(avg_cost_per_run)} label="How the cost per run comes about">
                <Text inherit>
                  <Money amount={total_cost} /> of {overviewDays} days, divided by the{' '}
                  {countOf(total_runs, 'run')} created in them: {exactDollars(avg_cost_per_run)}.
                </Text>
                <Text inherit>
                  A run that is still going counts as one, with what its completed jobs have cost.
                </Text>
              </Explained>
            }
            note={
              before?.runs ? (
                <>
                  <Money amount={before.cost / before.runs} /> in the 30 days before
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

/** Sums of the 30 days before the last 30; null where the plan shows no days that far back. */
function beforeOf(days: Trends['data'] | undefined): { cost: number; runs: number } | null {
  const before = days?.slice(0, -overviewDays) ?? [];
  if (before.length < overviewDays) return null;
  return {
    cost: before.reduce((sum, { cost }) => sum + cost, 0),
    runs: before.reduce((sum, { runs }) => sum + runs, 0),
  };
}

function MonthEnd() {
  const projection = useProjection();
  return (
    <Loaded query={projection} height={tallHeight}>
      {(month) => (
        <Figure
          label={`Forecast for ${monthName(month.month)}`}
          value={
            <Explained value={headlineOf(month)} label="How the forecast is made">
              <HowProjected month={month} />
            </Explained>
          }
          note={<Band month={month} />}
        />
      )}
    </Loaded>
  );
}

function Band({ month: { low, high, spent, confidence } }: { month: Projection }) {
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
