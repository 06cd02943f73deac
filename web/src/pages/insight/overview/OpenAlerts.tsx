import { Group, Skeleton, Stack } from '@mantine/core';
import { alertType } from '../../../parts/alerts/alertTypes.ts';
import { standingOf, worstOf } from '../../../parts/alerts/budgets.ts';
import { useAlerts, useMeasurements } from '../../../parts/alerts/queries.ts';
import { awayInWords, countedInWords, openRiseOf } from '../../../parts/alerts/triggerWords.ts';
import type { ListedAlert, Measurement } from '../../../parts/alerts/types.ts';
import { ruleInWords, standingInWords } from '../../../parts/alerts/words.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Note, StatusBadge, TextLink, When } from '../../../ui/text.tsx';

/** Open alerts that the budgets panel does not show. */
export function OpenAlerts() {
  const alerts = useAlerts();
  const measured = useMeasurements();
  // The budgets panel shows the empty state.
  if (alerts.data?.length === 0) return null;
  return (
    <Panel title="Open alerts" more={{ href: '/alerts', label: 'All alerts' }}>
      <Loaded query={alerts} height={80}>
        {(all) => {
          const isOpen = (alert: ListedAlert) => standingOf(alert, measured.data?.get(alert.id)) === 'over';
          const budgets = worstOf(all, measured.data ?? new Map());
          const shown = new Set(budgets.map(({ alert }) => alert.id));
          const open = all
            .filter((alert) => isOpen(alert) && !shown.has(alert.id))
            .toSorted((a, b) => rank(a) - rank(b));
          const over = budgets.filter(({ alert }) => isOpen(alert)).length;
          if (open.length === 0)
            return measured.isPending ? (
              <Skeleton height={22} aria-busy="true" />
            ) : (
              <Note>
                {over > 0
                  ? `${over === 1 ? '1 budget is' : `${over} budgets are`} over, as shown in Budgets. Nothing else is open.`
                  : measured.data
                    ? 'All clear.'
                    : 'No alert has triggered.'}
              </Note>
            );
          return (
            <Stack gap="sm">
              {open.map((alert) => (
                <Group key={alert.id} justify="space-between" gap="xs" align="flex-start">
                  <Stack gap={0} miw={0} flex="1 1 200px">
                    <TextLink href={`/alerts/${alert.id}`} size="sm" style={{ overflowWrap: 'anywhere' }}>
                      {alert.name}
                    </TextLink>
                    <Seen alert={alert} measured={measured.data?.get(alert.id)} />
                  </Stack>
                  <StatusBadge
                    status={alert.state === 'triggered' ? alert.state : standingInWords('over', alert)}
                  />
                </Group>
              ))}
            </Stack>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function Seen({ alert, measured }: { alert: ListedAlert; measured: Measurement | undefined }) {
  const open = openRiseOf(alert, measured);
  if (open)
    return (
      <Note>
        {awayInWords(open, open.current_value)} on {countedInWords(open)}. Rule: {ruleInWords(alert)}.
      </Note>
    );
  return (
    <Note>
      {ruleInWords(alert)}
      {alert.state !== 'triggered' ? (
        `, ${alertType(alert).pending}`
      ) : (
        <>
          , since <When at={alert.last_triggered_at} />
        </>
      )}
    </Note>
  );
}

const rank = ({ state }: ListedAlert): number => (state === 'triggered' ? 0 : 1);
