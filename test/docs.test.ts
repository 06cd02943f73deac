/** Links and commands in the README and docs. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { Command } from 'commander';
import { commandReference, referencePage } from '../scripts/commandReference.ts';
import { buildWholeCli } from '../src/cli/program.ts';
import { settings } from '../src/config.ts';
import { datasets } from '../src/insight/exports/datasets.ts';
import { parts } from '../src/operator/parts.ts';

const root = join(import.meta.dirname, '..');
const program = await buildWholeCli(parts);
const pages = globSync(['*.md', 'docs/**/*.md', 'src/**/*.md'], { cwd: root });
const read = (page: string) => readFileSync(join(root, page), 'utf8');
const withoutCode = (text: string) => text.replaceAll(/^```[^]*?^```$/gm, '');

/** GitHub's anchors for the headings of a page. */
function anchorsOf(page: string): Set<string> {
  const headings = withoutCode(read(page)).matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

test('every link leads to a file and a heading', () => {
  const broken = pages.flatMap((page) =>
    [...withoutCode(read(page)).matchAll(/(?:\]\(|src(?:set)?=")([^)\s"]+)/g)]
      .map(([, link]) => link!)
      .filter((link) => !/^https?:/.test(link))
      .filter((link) => {
        const [path, anchor] = link.split('#');
        const target = path ? join(dirname(page), path) : page;
        if (!existsSync(join(root, target))) return true;
        return anchor !== undefined && !anchorsOf(target).has(anchor);
      })
      .map((link) => `${page}: ${link}`),
  );
  assert.deepEqual(broken, []);
});

const kinds = ['how-to', 'reference', 'explanation'] as const;

test('the index lists every page under its kind, and every page says what it is for', () => {
  const index = read('docs/README.md');
  for (const kind of kinds) {
    const [, section] = new RegExp(`^## ${kind.replace('-', ' ')}\\n([^]*?)(?=^## |$(?![^]))`, 'im').exec(
      index,
    )!;
    const listed = [...section!.matchAll(/\]\(([\w-]+\/[\w-]+\.md)\)/g)].map(([, link]) => `docs/${link}`);
    assert.deepEqual(listed.toSorted(), globSync(`docs/${kind}/*.md`, { cwd: root }).toSorted());
  }
  const pagesWithKind = pages.filter((page) => kinds.some((kind) => page.startsWith(`docs/${kind}/`)));
  assert.deepEqual(
    pagesWithKind.filter((page) => !/^# .+\n\n[A-Z][^#|`]*?\w[.:)]/.test(read(page))),
    [],
  );
});

/** The command for words such as `price rule add`, or the program for none. */
function commandOf(words: string[]): Command {
  let command: Command = program;
  for (const word of words) {
    const sub = command.commands.find((each) => each.name() === word);
    if (!sub) break;
    command = sub;
  }
  return command;
}

test('every request reads its token from RUNCOST_TOKEN', () => {
  const sources = globSync(['src/**/*.ts', 'web/src/**/*.tsx'], { cwd: root });
  const variables = [...pages, ...sources].flatMap((file) =>
    [...read(file).matchAll(/Bearer \$(\w+)/g)].map(([, name]) => name),
  );
  assert.ok(variables.length > 30, `${variables.length} requests`);
  assert.deepEqual([...new Set(variables)], ['RUNCOST_TOKEN']);
});

test('every command exists, with its options', () => {
  // The reference is made from the commands themselves.
  const written = pages.filter((page) => page !== referencePage);
  const commands = written.flatMap((page) =>
    [...read(page).matchAll(/(?:npm run -s runcost -- |`runcost |^runcost (?=[a-z]))([^`#|)\n]*)/gm)].map(
      ([, words]) => ({
        page,
        words: words!.trim().split(/\s+/),
      }),
    ),
  );
  assert.ok(commands.length > 90, `${commands.length} commands`);
  for (const { page, words } of commands) {
    const command = commandOf(words);
    const text = `${page}: ${words.join(' ')}`;
    assert.ok(command.parent || words[0] === '--help', text);
    const known = new Set(['--help', ...command.options.map(({ long }) => long)]);
    for (const option of words.filter((word) => word.startsWith('--'))) {
      assert.ok(known.has(option), `${text}: ${option}`);
    }
    const required = command.options.filter(({ mandatory }) => mandatory).map(({ long }) => long!);
    if (words.some((word) => word.startsWith('--') && word !== '--help')) {
      assert.deepEqual(
        required.filter((option) => !words.includes(option)),
        [],
        text,
      );
    }
  }
});

/** The cells of a page's tables, without headings and backticks. */
function rowsOf(text: string): string[][] {
  const bodies = text.matchAll(/^\|[ :-]+\|[ :|-]*\n((?:\|.*\n?)*)/gm);
  return [...bodies].flatMap(([, body]) =>
    body!
      .trim()
      .split('\n')
      .map((row) =>
        row
          .split('|')
          .map((cell) => cell.replaceAll('`', '').trim())
          .slice(1, -1),
      ),
  );
}

test('the reference of the command line is what the commands say', async () => {
  const written = read(referencePage);
  const words = (text: string): string => text.replaceAll(/[\s-]+/g, ' ');
  assert.equal(words(written), words(await commandReference(written)), '`npm run api-types` writes it');
});

test('the reference of the settings has every setting', () => {
  const listed = rowsOf(read('docs/reference/settings.md')).flatMap(([names]) => names!.split(', '));
  assert.deepEqual(
    settings.map(([name]) => name).filter((name) => !listed.includes(name)),
    [],
  );
});

test('the reference of exports has every column of every dataset', () => {
  const page = read('docs/reference/exports.md');
  // Both versions of FOCUS are in one table.
  const versions = Map.groupBy(Object.entries(datasets), ([name]) => name.replace('-1.4', ''));
  for (const [name, datasetsOf] of versions) {
    const columns = new Set(
      datasetsOf.flatMap(([, dataset]) => dataset.columns.map((column) => column.name)),
    );
    const [, section] = page.split(`\n### ${name}\n`);
    const listed = rowsOf(section!.split(/^##/m)[0]!).flatMap(([cell]) => cell!.split(/, | × /));
    assert.deepEqual(listed.toSorted(), [...columns].toSorted(), name);
  }
});
