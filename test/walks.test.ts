/** Compares the walks of src/README.md with the files that the same requests enter. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Walk } from '../scripts/walks.ts';
import { nodeFlags } from './harness/child.ts';

const root = join(import.meta.dirname, '..');
const maxStations = 12;
/** A file outside of `platform` with as many functions does main work. */
const manyFunctions = 10;

type Described = { title: string; stations: string[]; named: string[] };

/** A station is a numbered line, and its first file. */
function describedWalks(): Described[] {
  const [, section] = /## Walks\n([^]*?)\n## /.exec(readFileSync(join(root, 'src/README.md'), 'utf8'))!;
  const walks = section!.matchAll(/^(A [^\n]*):\n\n((?:\d+\. .*\n)+)/gm);
  return [...walks].map(([, title, lines]) => ({
    title: title!,
    stations: [...lines!.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, name]) => name!),
    named: [...lines!.matchAll(/`([\w./]+\.tsx?)`/g)].map(([, name]) => name!),
  }));
}

/** Coverage and breakpoints are of a whole process, so it has its own. */
async function measuredWalks(): Promise<Walk[]> {
  const child = fork(join(root, 'scripts/walks.ts'), { execArgv: nodeFlags, silent: true });
  const [[walks], output, errors, [code]] = await Promise.all([
    Promise.race([once(child, 'message'), once(child, 'exit')]),
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'exit'),
  ]);
  assert.equal(code, 0, output + errors);
  return walks as Walk[];
}

/** A name may leave out the folders that the text before it gives. */
const isNamed = (name: string, file: string): boolean => file === name || file.endsWith(`/${name}`);
const isOfPages = (name: string): boolean => name.startsWith('web/');

const measured = await measuredWalks();
const described = describedWalks();

test('every walk is described, in at most twelve stations', () => {
  const titles = measured.map(({ title }) => title).filter((title) => title.startsWith('A '));
  assert.deepEqual(
    described.map(({ title }) => title),
    titles,
  );
  for (const { title, stations } of described) {
    assert.ok(stations.length > 5 && stations.length <= maxStations, title);
    assert.equal(new Set(stations).size, stations.length, title);
  }
});

for (const { title, stations, named } of described) {
  const rooms = measured.find((walk) => walk.title === title)!.rooms;

  test(`${title}: by the files that it enters, in their order`, () => {
    const onServer = named.filter((name) => !isOfPages(name));
    const files = rooms.map(({ file }) => file);
    assert.deepEqual(
      onServer.filter((name) => !files.some((file) => isNamed(name, file))),
      [],
      'not entered',
    );
    const own = stations.filter((name) => !isOfPages(name));
    assert.deepEqual(
      own,
      own.toSorted((a, b) => files.indexOf(a) - files.indexOf(b)),
    );
  });

  test(`${title}: no file that does main work is missing`, () => {
    const busy = rooms.filter(
      ({ file, functions }) => functions >= manyFunctions && !file.startsWith('platform/'),
    );
    assert.deepEqual(
      busy.filter(({ file }) => !named.some((name) => isNamed(name, file))),
      [],
    );
  });

  test(`${title}: each station in the pages imports the next`, () => {
    const pages = stations.filter(isOfPages);
    for (const [index, next] of pages.slice(1).entries()) {
      const page = pages[index]!;
      const imports = readFileSync(join(root, page), 'utf8').matchAll(/from '(\.[^']+)'/g);
      const imported = [...imports].map(([, path]) => normalize(join(dirname(page), path!)));
      assert.ok(imported.includes(next), `${page} does not import ${next}`);
    }
  });
}
