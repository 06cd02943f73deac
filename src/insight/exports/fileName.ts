import { addDays, dayOf } from '../../platform/lib/days.ts';
import type { ExportInput } from './exportTask.ts';
import { isMidnight } from './exportWindow.ts';

/** `runcost-jobs-2026-03-01-to-2026-03-31.csv`: the last day is in it; of instants `2026-03-01T093000Z`. */
export function fileNameOf({ dataset, format, from, to }: ExportInput): string {
  const [start, end] = [new Date(from), new Date(to)];
  const ofDays = isMidnight(start) && isMidnight(end) && end > start;
  const bounds = ofDays ? [dayOf(start), addDays(dayOf(end), -1)] : [compact(start), compact(end)];
  return `runcost-${dataset}-${bounds.join('-to-')}.${format}`;
}

function compact(instant: Date): string {
  return instant.toISOString().replace(/\.\d+/, '').replaceAll(':', '');
}
