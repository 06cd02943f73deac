import type { Transaction } from '../../../platform/db/database.ts';
import { addDays, windowEnding, type Window } from '../../../platform/lib/days.ts';
import type { Providers } from '../../pricing/provider.ts';
import type { AnomalyRule } from '../anomaly.ts';
import { useColumns } from '../changeUses.ts';
import { findDays } from '../columns/dayColumns.queries.ts';
import { planDays } from '../columns/withDays.ts';
import { testOf } from '../filters.ts';
import type { CostScope } from '../scopes.ts';
import { datesOf, findChangeEvents } from './events.ts';
import { nameEvents } from './firstJobs.ts';
import { originColumns } from './origin.ts';
import { eventParts, type EventPart } from './words.ts';

/** What happened, in words, and what they name. */
export type Happened = { parts: EventPart[]; workflowId: string | null; runId: string | null };

const comparedDays = 28;
/** Jobs whose columns must be made within the transaction. More would hold it for seconds. */
const maxRowsMade = 50_000;

/** What explains the costs of a window, against the four weeks before it. Null if nothing does, or it would take too long. */
export async function findHappened(
  tx: Transaction,
  { orgId, providers }: { orgId: string; providers: Providers },
  { scope, window, rule }: { scope: CostScope; window: Window; rule: AnomalyRule },
): Promise<Happened | null> {
  const previousWindow = windowEnding(addDays(window.start, -1), comparedDays);
  const days = await findDays(tx, orgId, 'jobs', { start: previousWindow.start, end: window.end });
  const made = days.filter(({ isCurrent }) => !isCurrent).reduce((sum, { rows }) => sum + rows, 0);
  if (made > maxRowsMade) return null;
  const questions = [{ groupBy: ['workflowId', 'job'] as const, filters: [...scope] }];
  const { workflows, read } = await planDays(
    tx,
    { actor: { orgId } },
    {
      rowKind: 'jobs',
      questions,
      windows: [previousWindow, window],
      columns: [...useColumns, ...originColumns],
    },
  );
  const rows = [...(await read(tx, previousWindow)), ...(await read(tx, window))];
  const tests = scope.map((filter) => testOf(filter, workflows));
  const found = await findChangeEvents(rows, { window, previousWindow, tests, rule });
  const largest = found.filter((event) => datesOf(event).to >= window.start).slice(0, 1);
  const [event] = await nameEvents(tx, orgId, largest, previousWindow.start);
  if (!event) return null;
  return {
    parts: eventParts(event, { workflows, providers, period: window }),
    workflowId: event.type === 'jobs' ? event.workflowId : null,
    runId: event.firstJob?.runId ?? null,
  };
}
