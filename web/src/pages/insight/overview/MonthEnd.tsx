import { Skeleton, Text } from '@mantine/core';
import { Change } from '../../../analysis/Change.tsx';
import { addDays } from '../../../analysis/ranges.ts';
import { Sparkline } from '../../../charts/Sparkline.tsx';
import { alertType } from '../../../parts/alerts/alertTypes.ts';
import { headingOf, percentOf, worstOf, type Budget } from '../../../parts/alerts/budgets.ts';
import { useAlerts, useMeasurements } from '../../../parts/alerts/queries.ts';
import { Loading } from '../../../parts/costs/Summary.tsx';
import { Explained } from '../../../ui/Explained.tsx';
import { Figure } from '../../../ui/Figure.tsx';
import { countOf, leftOutInWords, limitDollars, monthAlone, monthName } from '../../../ui/figures.ts';
import { Money, TextLink } from '../../../ui/text.tsx';
import { headlineOf, partsOf } from './forecast.ts';
import { useForecast, type Forecast } from './queries.ts';

/** The forecast of all costs for this month, and whether it keeps the budget. */
export function MonthEnd() {
  const budget = useMonthBudget();
  return (
    <Loading query={useForecast()} label="Forecast">
      {(month) => (
        <Figure
          label={
            <>
              Forecast
              {/* On phones, it would take a second line. */}
              <span className="mantine-visible-from-sm"> for {monthAlone(month.month)}</span>
            </>
          }
          value={
            <Explained value={headlineOf(month)} label="How the forecast is made">
              <ForecastExplained month={month} />
            </Explained>
          }
          note={
            budget === undefined ? (
              <Skeleton height={12} width="90%" mt={6} />
            ) : budget && month.confidence !== 'none' ? (
              <BudgetState budget={budget} />
            ) : (
              <Before month={month} />
            )
          }
          trend={<MonthLine month={month} />}
        />
      )}
    </Loading>
  );
}

/** The budget for all costs of a month, if there is one; undefined while it loads. */
function useMonthBudget(): Budget | null | undefined {
  const alerts = useAlerts();
  const measured = useMeasurements();
  if (alerts.isPending || measured.isPending) return undefined;
  const ofAll = (alerts.data ?? []).filter(
    ({ scope, period }) => scope.type === 'organization' && period === 'month',
  );
  const budgets = worstOf(ofAll, measured.data ?? new Map());
  // Only budgets on list cost have a forecast in dollars, like the one beside it.
  return budgets.find((each) => each.measured.forecast && alertType(each.alert).unit === 'usd') ?? null;
}

/** For example `121% of $3,000, over on Nov 25`. */
function BudgetState({ budget: { alert, measured } }: { budget: Budget }) {
  const [limit, forecast] = [alert.threshold_amount, measured.forecast!];
  const isOver = forecast.spent > limit || forecast.over_on !== null;
  return (
    <>
      <TextLink href={`/alerts/${alert.id}`} inherit aria-description={`Budget: ${alert.name}`}>
        <Text span inherit {...(isOver && { fw: 600, className: 'is-up' })}>
          {percentOf(forecast.projected, limit)} of {limitDollars(limit)}
        </Text>
      </TextLink>
      {isOver ? (
        <>
          , <span className="unbroken">{headingOf(limit, forecast)}</span>
        </>
      ) : (
        ' budget'
      )}
    </>
  );
}

function Before({ month }: { month: Forecast }) {
  const { confidence, previous_month: previous, is_previous_month_whole: isWhole, projected, spent } = month;
  const before = monthAlone(addDays(`${month.month}-01`, -1).slice(0, 7));
  if (confidence === 'none') return 'After the first full day';
  if (previous === 0)
    return (
      <>
        <Money amount={spent} /> so far
      </>
    );
  if (!isWhole) return `${before} is not comparable`;
  return (
    <>
      <Change value={projected} previous={previous} metric="cost" /> vs <Money amount={previous} />
      <span className="mantine-visible-from-sm"> in {before}</span>
    </>
  );
}

/** Cumulative cost by day, and its forecast. */
function MonthLine({ month: { daily, days_elapsed: elapsed, confidence } }: { month: Forecast }) {
  let sum = 0;
  const reached = daily.map(({ cost, projected }, index) => {
    const amount = index < elapsed - 1 ? cost : (projected ?? cost);
    return (sum += amount ?? 0);
  });
  return (
    <Sparkline
      values={reached.slice(0, elapsed)}
      expected={confidence === 'none' ? [] : reached.slice(elapsed)}
    />
  );
}

function ForecastExplained({ month }: { month: Forecast }) {
  const { low, high, spent, projected, rounded, confidence } = month;
  const { restOfToday, daysToCome, ofDaysToCome, correction } = partsOf(month);
  if (confidence === 'none')
    return (
      <Text inherit>
        A forecast needs at least one full day. {monthName(month.month)} has cost <Money amount={spent} /> so
        far.
      </Text>
    );
  return (
    <>
      <Text inherit>
        Spent so far: <Money amount={spent} />. Rest of today: <Money amount={restOfToday} />. The remaining{' '}
        {countOf(daysToCome, 'day')}: <Money amount={ofDaysToCome} />. Forecast: <Money amount={projected} />
        {rounded !== projected && `, rounded to ${headlineOf(month)}`}.
      </Text>
      <Text inherit>
        Each remaining day counts as the median of the same weekday in the last 8 weeks.{' '}
        {leftOutInWords(month.left_out_days)}{' '}
        {correction !== 0 && (
          <>
            On past days this was <Money amount={Math.abs(correction)} /> too{' '}
            {correction > 0 ? 'low' : 'high'}, so we {correction > 0 ? 'add' : 'subtract'} that amount.
          </>
        )}
      </Text>
      {low === null || high === null ? (
        <Text inherit>There is not enough history for a likely range.</Text>
      ) : (
        <Text inherit>
          Likely range: <Money amount={low} /> to <Money amount={high} />. About 3 of 4 months end within it.
          {confidence === 'low' && ' With so little history, it is rough.'}
        </Text>
      )}
    </>
  );
}
