import { Failed } from '../../shown/Failed.tsx';
import { Figure, Figures } from '../../shown/Figure.tsx';
import { count, monthName } from '../../shown/figures.ts';
import { Loaded } from '../../shown/Loaded.tsx';
import { Money } from '../../shown/Money.tsx';
import { Trend } from '../../shown/Trend.tsx';
import {
  overviewDays,
  useProjection,
  useSummary,
  useTrends,
  type Projection,
  type Trends,
} from './queries.ts';

/** Of a figure with a line below it, and with two. */
const height = 113;
const tallHeight = 131;

/** The sums of the last 30 days, and what the month is heading for. */
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
            value={<Money amount={total_cost} />}
            note={
              <>
                <Trend percent={trend_percent} /> than in the 30 days before
              </>
            }
          />
        )}
      </Loaded>
      <Loaded query={summary} height={height}>
        {({ total_runs }) => (
          <Figure
            label="Runs"
            value={count(total_runs)}
            note={before && `${count(before.runs)} in the 30 days before`}
          />
        )}
      </Loaded>
      <Loaded query={summary} height={height}>
        {({ avg_cost_per_run }) => (
          <Figure
            label="Cost per run"
            value={<Money amount={avg_cost_per_run} />}
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
          label={`Projected for ${monthName(month.month)}`}
          value={month.confidence === 'none' ? 'Too early' : <Money amount={month.projected} />}
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
          Between <Money amount={low} /> and <Money amount={high} />
          {confidence === 'low' && ', roughly'}
          <br />
        </>
      )}
      <Money amount={spent} /> so far
    </>
  );
}
