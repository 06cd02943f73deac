import type { Transaction } from '../../../platform/db/database.ts';
import { addDays, windowEnding, type Window } from '../../../platform/lib/days.ts';
import type { Providers } from '../../pricing/provider.ts';
import type { AnomalyRule } from '../anomaly.ts';
import { useColumns } from '../changeUses.ts';
import { findDays } from '../columns/dayColumns.queries.ts';
import { readRollups } from '../columns/readDays.ts';
import { constant, type DayRows, type RowTest } from '../columns/sumRows.ts';
import { planDays } from '../columns/withDays.ts';
import { testOf, type WorkflowNames } from '../filters.ts';
import { needsColumns, testsOf, type CostScope } from '../scopes.ts';
import { findWorkflowNames } from '../workflows.queries.ts';
import { datesOf, findChangeEvents } from './events.ts';
import { nameEvents } from './firstJobs.ts';
import { originColumns } from './origin.ts';
import { eventParts, type EventPart } from './words.ts';

/** What happened, in words, and what they name. */
export type Happened = { parts: EventPart[]; workflowId: string | null; runId: string | null };

const comparedDays = 28;
/** Jobs whose columns must be made within the transaction. More would hold it for seconds. */
const maxRowsMade = 50_000;

type Asked = { scope: CostScope; window: Window; rule: AnomalyRule; maxRows?: number };

/**
 * What explains the costs of a window, against the four weeks before it. Null if nothing does, or if only single jobs would
 * say it and are too many.
 */
export async function findHappened(
  tx: Transaction,
  { orgId, providers }: { orgId: string; providers: Providers },
  { scope, window, rule, maxRows = maxRowsMade }: Asked,
): Promise<Happened | null> {
  const previousWindow = windowEnding(addDays(window.start, -1), comparedDays);
  const days = await findDays(tx, orgId, 'jobs', { start: previousWindow.start, end: window.end });
  const made = days.filter(({ isCurrent }) => !isCurrent).reduce((sum, { rows }) => sum + rows, 0);
  if (made > maxRows && needsColumns(scope)) return null;
  const readRows = made > maxRows ? readSums : readJobs;
  const windows = [previousWindow, window];
  const { workflows, rows, tests } = await readRows(tx, orgId, scope, windows);
  const found = await findChangeEvents(rows, { window, previousWindow, tests, rule });
  const largest = found.filter((event) => datesOf(event).to >= window.start).slice(0, 1);
  const [event] = await nameEvents(tx, orgId, largest, { window, previousWindow });
  if (!event) return null;
  return {
    parts: eventParts(event, { workflows, providers, period: window }),
    workflowId: event.type === 'jobs' ? event.workflowId : null,
    runId: event.firstJob?.runId ?? null,
  };
}

type Read = { workflows: WorkflowNames; rows: DayRows[]; tests: readonly RowTest[] };

async function readJobs(
  tx: Transaction,
  orgId: string,
  scope: CostScope,
  windows: readonly Window[],
): Promise<Read> {
  const questions = [{ groupBy: ['workflowId', 'job'] as const, filters: [...scope] }];
  const columns = [...useColumns, ...originColumns];
  const selection = { rowKind: 'jobs' as const, questions, windows, columns };
  const { workflows, read } = await planDays(tx, { actor: { orgId } }, selection);
  const rows: DayRows[] = [];
  for (const window of windows) rows.push(...(await read(tx, window)));
  return { workflows, rows, tests: scope.map((filter) => testOf(filter, workflows)) };
}

const summedColumns = ['workflowId', 'runner', 'minutes', 'costNanos'] as const;

/** Of workflows instead of jobs, without names of jobs and where they came from. */
async function readSums(
  tx: Transaction,
  orgId: string,
  scope: CostScope,
  windows: readonly Window[],
): Promise<Read> {
  const workflows = await findWorkflowNames(tx, orgId);
  const { tests, workflowIds } = testsOf(scope, 'workflow', workflows);
  const asked = { rowKind: 'jobs', grain: 'workflow', names: summedColumns, workflowIds } as const;
  const rows: DayRows[] = [];
  for (const window of windows) {
    for (const day of await readRollups(tx, orgId, { ...asked, window })) {
      const isSummed = (name: string) => summedColumns.some((each) => each === name);
      rows.push({ ...day, column: (name) => (isSummed(name) ? day.column(name) : constant(day, null)) });
    }
  }
  return { workflows, rows, tests };
}
