const maxLines = 50;

let lines: string[] = [];

/** Stores a log line of a program in this process. The runner prints the last ones if a test of the file fails. */
export function keepLog(line: string): void {
  lines.push(line);
  if (lines.length > maxLines) lines.shift();
}

/** The last lines since the previous call. */
export function takeLog(): string {
  const taken = lines.join('').trim();
  lines = [];
  return taken;
}
