import { Stack, Text } from '@mantine/core';
import { alertType } from '../../../parts/alerts/alertTypes.ts';
import { BudgetBurnUp, BurnUpKeys, usedInWords, type Forecast } from '../../../parts/alerts/BudgetBurnUp.tsx';
import { useMeasurements } from '../../../parts/alerts/queries.ts';
import { openRiseOf } from '../../../parts/alerts/triggerWords.ts';
import type { Kind, OneAlert } from '../../../parts/alerts/types.ts';
import { countOf, leftOutInWords } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { PartBoundary } from '../../../ui/PartBoundary.tsx';
import { Note, When } from '../../../ui/text.tsx';
import { usePreview } from './alertQueries.ts';
import { Measured } from './Measured.tsx';
import { TriggerNow } from './OpenTrigger.tsx';
import { PreviewChart } from './PreviewChart.tsx';

const height = 240;
/** Of a budget: its amount, sentence, chart and keys. */
const budgetHeight = 316;

export function AlertNow({ alert }: { alert: OneAlert }) {
  const measurements = useMeasurements();
  if (!alert.enabled)
    return (
      <Panel title="Now">
        <Note>This alert is off. Turn it on to see its current value.</Note>
      </Panel>
    );
  const measured = measurements.data?.get(alert.id);
  const { has_forecast } = alertType(alert);
  return (
    <Panel
      title="Now"
      aside={
        measured && (
          <Note>
            as of <When at={openRiseOf(alert, measured)?.triggered_at ?? measured.as_of} />
          </Note>
        )
      }
    >
      <Loaded query={measurements} height={has_forecast ? budgetHeight : height}>
        {(found) => {
          const forecast = found.get(alert.id)?.forecast;
          if (forecast) return <Budget kind={alert} limit={alert.threshold_amount} forecast={forecast} />;
          return (
            <>
              <Measured alert={alert} measurements={found} isLarge />
              <Checks alert={alert} />
            </>
          );
        }}
      </Loaded>
      <TriggerNow alert={alert} />
    </Panel>
  );
}

function Budget({ kind, limit, forecast }: { kind: Kind; limit: number; forecast: Forecast }) {
  return (
    <Stack gap={4} className="burn-up-large">
      <Text component="div" className="figure-value" fw={700}>
        {usedInWords(kind, forecast.spent, limit)}
      </Text>
      <BudgetBurnUp kind={kind} limit={limit} forecast={forecast} isLarge />
      <BurnUpKeys kind={kind} />
      {forecast.left_out_days.length > 0 && (
        <Note size="xs">Forecast: {leftOutInWords(forecast.left_out_days)}</Note>
      )}
    </Stack>
  );
}

function Checks({ alert }: { alert: OneAlert }) {
  const preview = usePreview(alert);
  return (
    <Loaded query={preview} height={height}>
      {(found) => (
        <PartBoundary name="The chart">
          <div
            role="img"
            aria-label={`The ${alertType(alert).value_title.toLowerCase()} at the last ${countOf(found.series.length, 'check')}`}
            style={{ minHeight: height }}
          >
            <PreviewChart kind={alert} preview={found} threshold={alert.threshold_amount} height={height} />
          </div>
        </PartBoundary>
      )}
    </Loaded>
  );
}
