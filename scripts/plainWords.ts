/** Fails on words in code, pages and docs that have a plainer word, and on British spellings. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

const plainerWords: [word: RegExp, instead: string][] = [
  [/\bwhat is not known\b/i, 'data quality'],
  [/\b(tell|tells|told|tellings?)\b/i, 'say, report, show or notify'],
  [/\bdeeds?\b/i, 'action, or label for a button'],
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [/\bamiss\b/i, 'wrong'],
  [/\banew\b/i, 'again'],
  [/\bdear(er|est)?\b/i, 'expensive'],
  [/\bcarr(y|ies|ied|ying) out\b/i, 'run or do'],
  [/\bat the usual pace\b/i, 'forecast'],
  [/\bprice book\b/i, 'price list'],
  [/\bnull where\b/i, 'null if'],
  [/\bfor ever\b/i, 'forever'],
  [/\bmust not stand beside\b/i, 'cannot be combined with'],
  [/\b(for|of) who (goes|is|has|may|asks|comes)\b/i, 'for a person who'],
  [/\bonly who\b/i, 'only the person who'],
  [/\b(seldom|takes? for granted)\b/i, 'rarely; assume'],
  [/\bwhat nobody owns\b/i, 'unowned costs'],
  [/\bwe decide again\b/i, 'we will reconsider this'],
  [/\b(most|fewest)(?!Expensive|Active)[A-Z]\w*/, 'max… or min…'],
];

const files = globSync(
  ['{action,src,web/src,test,bench,scripts}/**/*.{ts,tsx,md}', 'docs/**/*.md', '*.md', '*.mjs'],
  { cwd: root },
).filter((file) => file !== 'scripts/plainWords.ts');

let found = 0;
for (const file of files.toSorted()) {
  for (const [index, line] of readFileSync(join(root, file), 'utf8').split('\n').entries()) {
    for (const [word, instead] of plainerWords) {
      const [match] = word.exec(line) ?? [];
      if (match === undefined) continue;
      found++;
      console.log(`${file}:${index + 1}: "${match}": write ${instead}`);
    }
  }
}
process.exitCode = found > 0 ? 1 : 0;
