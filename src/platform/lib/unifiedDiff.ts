/** What `git apply` and `patch` take. Empty if nothing changed. */
export function unifiedDiff(path: string, before: string, after: string): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  const hunks = hunksOf(changesOf(old, now));
  if (hunks.length === 0) return '';
  // Git ends a name with spaces by a tab.
  const end = path.includes(' ') ? '\t' : '';
  const head = [`diff --git a/${path} b/${path}`, `--- a/${path}${end}`, `+++ b/${path}${end}`];
  return [...head.map((line) => `${line}\n`), ...hunks.map((hunk) => hunkText(hunk, old, now))].join('');
}

/** Lines of the old text from `at` to `to` that become the lines of the new text from `nowAt` to `nowTo`. */
type Change = { at: number; to: number; nowAt: number; nowTo: number };

const context = 3;

/** Each line with its end, so that a missing one at the end of the file differs. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Goes to the shortest way of insertions and deletions (E. W. Myers, 1986). Few lines change, so it is fast. */
function changesOf(old: readonly string[], now: readonly string[]): Change[] {
  const [rows, columns] = [old.length, now.length];
  const steps: Map<number, number>[] = [];
  let reached = new Map([[1, 0]]);
  for (let distance = 0; distance <= rows + columns; distance++) {
    steps.push(new Map(reached));
    for (let k = -distance; k <= distance; k += 2) {
      let x = isDown(reached, k, distance) ? reached.get(k + 1)! : reached.get(k - 1)! + 1;
      while (x < rows && x - k < columns && old[x] === now[x - k]) x++;
      reached.set(k, x);
      if (x >= rows && x - k >= columns) return changesOnWay(steps, rows, columns);
    }
  }
  return [];
}

function isDown(reached: ReadonlyMap<number, number>, k: number, distance: number): boolean {
  return k === -distance || (k !== distance && reached.get(k - 1)! < reached.get(k + 1)!);
}

function changesOnWay(
  steps: readonly ReadonlyMap<number, number>[],
  rows: number,
  columns: number,
): Change[] {
  const changes: Change[] = [];
  let [x, y] = [rows, columns];
  for (let distance = steps.length - 1; distance > 0; distance--) {
    const reached = steps[distance]!;
    const k = x - y;
    const from = isDown(reached, k, distance) ? k + 1 : k - 1;
    const [fromX, fromY] = [reached.get(from)!, reached.get(from)! - from];
    const [toX, toY] = from > k ? [fromX, fromY + 1] : [fromX + 1, fromY];
    const [next] = changes;
    // Steps without equal lines between them are one change.
    if (next?.at === toX && next.nowAt === toY) Object.assign(next, { at: fromX, nowAt: fromY });
    else changes.unshift({ at: fromX, to: toX, nowAt: fromY, nowTo: toY });
    [x, y] = [fromX, fromY];
  }
  return changes;
}

/** Changes whose surroundings meet are one hunk. */
function hunksOf(changes: readonly Change[]): Change[][] {
  const hunks: Change[][] = [];
  for (const change of changes) {
    const last = hunks.at(-1)?.at(-1);
    if (last && change.at - last.to <= 2 * context) hunks.at(-1)!.push(change);
    else hunks.push([change]);
  }
  return hunks;
}

function hunkText(hunk: readonly Change[], old: readonly string[], now: readonly string[]): string {
  const [first, last] = [hunk[0]!, hunk.at(-1)!];
  const start = Math.max(0, first.at - context);
  const end = Math.min(old.length, last.to + context);
  const nowStart = first.nowAt - (first.at - start);
  const nowEnd = last.nowTo + (end - last.to);
  const lines: string[] = [];
  let at = start;
  for (const change of hunk) {
    lines.push(...old.slice(at, change.at).map((line) => ` ${line}`));
    lines.push(...old.slice(change.at, change.to).map((line) => `-${line}`));
    lines.push(...now.slice(change.nowAt, change.nowTo).map((line) => `+${line}`));
    at = change.to;
  }
  lines.push(...old.slice(at, end).map((line) => ` ${line}`));
  const head = `@@ -${spanOf(start, end)} +${spanOf(nowStart, nowEnd)} @@\n`;
  return head + lines.map(ended).join('');
}

function spanOf(from: number, to: number): string {
  return `${to === from ? from : from + 1},${to - from}`;
}

function ended(line: string): string {
  return line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`;
}
