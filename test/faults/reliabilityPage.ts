import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, platform } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const page = join(root, 'docs/reliability.md');

/** Replaces a section of docs/reliability.md, which says what the commands of the tests measured. */
export function writeSection(heading: string, text: string): void {
  const { sections, at } = find(heading);
  sections[at] = `## ${heading}\n\n${text.trim()}\n\n`;
  writeFileSync(page, `${sections.join('').trimEnd()}\n`);
}

/** The rows of the first table of a section by the names in their first cells. */
export function rowsOf(heading: string): Map<string, string[]> {
  const { sections, at } = find(heading);
  const lines = sections[at]!.split('\n').filter((line) => line.startsWith('| '));
  const rows = lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
  return new Map(rows.map((cells) => [cells[0]!, cells]));
}

function find(heading: string): { sections: string[]; at: number } {
  const sections = readFileSync(page, 'utf8').split(/^(?=## )/m);
  const at = sections.findIndex((section) => section.startsWith(`## ${heading}\n`));
  if (at === -1) throw new Error(`docs/reliability.md has no section "${heading}"`);
  return { sections, at };
}

export const count = (value: number): string => value.toLocaleString('en-US');

/** The first cells are headings. Numbers are aligned to the right. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const [headings = [], ...others] = rows;
  const line = headings.map((_, at) => (at < 1 ? '---' : '--:'));
  return [headings, line, ...others].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The day and the last commit that changed the program: those of tests and docs change nothing of what is measured. */
export function measuredNow(): string {
  const day = new Date().toISOString().slice(0, 10);
  const log = ['log', '-1', '--format=%h', '--', 'src', 'migrations'];
  return `${day} at ${execFileSync('git', log, { cwd: root, encoding: 'utf8' }).trim()}`;
}

export function measuredHere(): string {
  return `${measuredNow()} on Node.js ${process.versions.node}, ${platform()}, ${availableParallelism()} × ${cpus()[0]?.model}`;
}
