import { Group, Skeleton, Stack, Title } from '@mantine/core';
import { alertType } from '../../../parts/alerts/alertTypes.ts';
import { isBudget, standingOf, worstOf } from '../../../parts/alerts/budgets.ts';
import { useAlerts, useMeasurements } from '../../../parts/alerts/queries.ts';
import { awayInWords, countedInWords, openRiseOf } from '../../../parts/alerts/triggerWords.ts';
import type { ListedAlert, Measurement } from '../../../parts/alerts/types.ts';
import { ruleInWords, standingInWords } from '../../../parts/alerts/words.ts';
import { Note, StatusBadge, TextLink, When } from '../../../ui/text.tsx';

/** Pixels of an alert while the measurements load. */
const rowHeight = 44;

/** Open alerts that the rows of budgets above do not show; nothing if there are none. */
export function OpenAlerts() {
  const all = useAlerts().data ?? [];
  const measured = useMeasurements();
  const shown = new Set(worstOf(all, measured.data ?? new Map()).map(({ alert }) => alert.id));
  const open = all
    .filter((alert) =>
      measured.isPending
        ? alert.state === 'triggered' && !isBudget(alert)
        : standingOf(alert, measured.data?.get(alert.id)) === 'over' && !shown.has(alert.id),
    )
    .toSorted((a, b) => rank(a) - rank(b));
  if (open.length === 0) return null;
  return (
    <Stack gap="sm" component="section" aria-label="Open alerts">
      <Title order={3} size="sm">
        Open alerts
      </Title>
      {open.map((alert) =>
        measured.isPending ? (
          <Skeleton key={alert.id} height={rowHeight} aria-busy="true" />
        ) : (
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
        ),
      )}
    </Stack>
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
