/** Links and commands in the README and docs. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { Command } from 'commander';
import { buildCli } from '../src/cli/program.ts';

const root = join(import.meta.dirname, '..');
const pages = globSync(['*.md', 'docs/**/*.md', 'src/**/*.md'], { cwd: root });
const read = (page: string) => readFileSync(join(root, page), 'utf8');
const withoutCode = (text: string) => text.replaceAll(/^```[^]*?^```$/gm, '');

/** The anchors that GitHub gives to the headings of a page. */
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

test('every command exists, with its options', () => {
  const commands = pages.flatMap((page) =>
    [...read(page).matchAll(/npm run -s runcost -- ([^`#|)\n]*)/g)].map(([, words]) => ({
      page,
      words: words!.trim().split(/\s+/),
    })),
  );
  assert.ok(commands.length > 20, `${commands.length} commands`);
  for (const { page, words } of commands) {
    let command: Command = buildCli();
    for (const word of words) {
      const sub = command.commands.find((each) => each.name() === word);
      if (!sub) break;
      command = sub;
    }
    const text = `${page}: ${words.join(' ')}`;
    assert.ok(command.parent || words[0] === '--help', text);
    const known = new Set(['--help', ...command.options.map(({ long }) => long)]);
    for (const option of words.filter((word) => word.startsWith('--'))) {
      assert.ok(known.has(option), `${text}: ${option}`);
    }
  }
});
