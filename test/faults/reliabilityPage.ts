import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, platform } from 'node:os';
import { join } from 'node:path';

const page = join(import.meta.dirname, '../../docs/reliability.md');

/** Replaces a section of docs/reliability.md, which says what the commands of the tests measured. */
export function writeSection(heading: string, text: string): void {
  const sections = readFileSync(page, 'utf8').split(/^(?=## )/m);
  const at = sections.findIndex((section) => section.startsWith(`## ${heading}\n`));
  if (at === -1) throw new Error(`docs/reliability.md has no section "${heading}"`);
  sections[at] = `## ${heading}\n\n${text.trim()}\n\n`;
  writeFileSync(page, `${sections.join('').trimEnd()}\n`);
}

export const count = (value: number): string => value.toLocaleString('en-US');

/** The first cells are headings. Numbers are aligned to the right. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const [headings = [], ...others] = rows;
  const line = headings.map((_, at) => (at < 1 ? '---' : '--:'));
  return [headings, line, ...others].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export function measuredHere(): string {
  const day = new Date().toISOString().slice(0, 10);
  return `${day} on Node.js ${process.versions.node}, ${platform()}, ${availableParallelism()} × ${cpus()[0]?.model}`;
}
