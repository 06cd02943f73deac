import { historyDays, planWindow } from '../../ledger/runs/planWindow.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import { addDays, dayOf, startOfDay } from '../../platform/lib/days.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { parseInstant } from '../../platform/lib/instant.ts';
import type { DatasetName } from './exportTask.ts';

/** `from` is included, `to` is not. */
export type ExportWindow = { from: Date; to: Date };

type Asked = { dataset: DatasetName; from: string; to: string };

const form = 'must be a UTC day such as 2026-01-31, or an ISO 8601 date-time such as 2026-01-31T09:30:00Z';

/**
 * The window that was asked for. Of days the last one is included as well, of instants it is not. What lies before the
 * plan's history, or after today, is cut off without an error; without a plan nothing is.
 */
export function exportWindow(asked: Asked, now: Date, plan: Plan | null): ExportWindow {
  const from = readStart('body.from', asked.from);
  const to = readEnd('body.to', asked.to);
  if (from >= to) {
    throw invalid('body.to', 'must not lie before body.from: a day is included, an instant is not');
  }
  const window = plan === null ? { from, to } : cut({ from, to }, now, plan);
  if (asked.dataset === 'daily') {
    for (const [name, instant] of Object.entries(window)) {
      if (!isMidnight(instant))
        throw invalid(`body.${name}`, 'must be a UTC day, since daily rows are of days');
    }
  }
  return window;
}

function cut({ from, to }: ExportWindow, now: Date, plan: Plan): ExportWindow {
  const history = planWindow(now, plan, historyDays[plan]);
  const [first, end] = [startOfDay(history.start), startOfDay(addDays(history.end, 1))];
  if (from >= end) throw invalid('body.from', 'must not lie after today');
  const cutFrom = from < first ? first : from;
  const cutTo = to > end ? end : to;
  return { from: cutFrom, to: cutTo < cutFrom ? cutFrom : cutTo };
}

const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);

function readStart(path: string, text: string): Date {
  const instant = isDay(text) ? startOfDay(text) : parseInstant(text);
  if (!instant || Number.isNaN(instant.getTime()) || (isDay(text) && dayOf(instant) !== text)) {
    throw invalid(path, form);
  }
  return instant;
}

function readEnd(path: string, text: string): Date {
  const start = readStart(path, text);
  return isDay(text) ? startOfDay(addDays(text, 1)) : start;
}

/** Whether an instant is where a UTC day begins and another ends. */
export function isMidnight(instant: Date): boolean {
  return startOfDay(dayOf(instant)).getTime() === instant.getTime();
}
