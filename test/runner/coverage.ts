import { join, relative } from 'node:path';

export const coverageFlags = [
  '--experimental-test-coverage',
  '--test-coverage-include=src/**/*.ts',
  '--test-coverage-exclude=**/*.test.ts',
];

/** The lines of a file with code, and those that tests of one process reached. */
export type CoveredLines = { path: string; lines: number[]; covered: number[] };

const src = join(import.meta.dirname, '../../src');

/** Adds up what the processes reached. */
export function createCoverage() {
  const files = new Map<string, { lines: Set<number>; covered: Set<number> }>();
  return {
    add: (found: readonly CoveredLines[]): void => {
      for (const { path, lines, covered } of found) {
        const file = files.get(path) ?? { lines: new Set(), covered: new Set() };
        files.set(path, file);
        lines.forEach((line) => file.lines.add(line));
        covered.forEach((line) => file.covered.add(line));
      }
    },
    /** A line for each folder of `src`, and the sum. Files that no test loads are not in it. */
    report: (): string => {
      const folders = new Map<string, { lines: number; covered: number }>();
      for (const [path, { lines, covered }] of files) {
        const name = relative(src, path).split('/').slice(0, -1).slice(0, 2).join('/') || '.';
        for (const key of [name, 'src']) {
          const sum = folders.get(key) ?? { lines: 0, covered: 0 };
          folders.set(key, { lines: sum.lines + lines.size, covered: sum.covered + covered.size });
        }
      }
      const rows = [...folders].toSorted(([a], [b]) => a.localeCompare(b, 'en'));
      const line = ([name, { lines, covered }]: (typeof rows)[number]) =>
        `${((100 * covered) / lines).toFixed(1).padStart(6)}%  ${String(lines).padStart(6)} lines  ${name}`;
      return ['Coverage of src', ...rows.map(line)].join('\n');
    },
  };
}
