/** Compares `src/README.md` and the wings' READMEs with the files. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../src', import.meta.url));
const files = globSync('**/*.ts', { cwd: folder }).filter((name) => !/\.(test|d)\.ts$/.test(name));
const readmes = ['README.md', ...globSync('*/README.md', { cwd: folder })];
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

/** Files of these names may be short, because their names say what they may import. */
const roles = /(^|[/.])(routes|schema|queries|tables)\.ts$/;
const fewLines = 60;

test('every wing has a README, and every file that src/README.md names is there', () => {
  const wings = new Set(files.filter((name) => name.includes('/')).map((name) => name.split('/')[0]!));
  assert.deepEqual([...wings].map((wing) => join(wing, 'README.md')).toSorted(), readmes.slice(1).toSorted());
  const named = [...read('README.md').matchAll(/`((?:web\/src|[a-z]+)\/[\w./]+\.tsx?)`/g)].map(
    ([, name]) => name!,
  );
  assert.ok(named.length > 30);
  const missing = named.filter(
    (name) => ![folder, join(folder, '..')].some((at) => existsSync(join(at, name))),
  );
  // A file may be named relative to the domain of the previous line.
  assert.deepEqual(
    missing.filter((name) => !files.some((file) => file.endsWith(`/${name}`))),
    [],
  );
});

test('no walk names a file twice, and none has more than twelve', () => {
  const [, section] = /## Three walks\n([^]*?)\n## /.exec(read('README.md'))!;
  const walks = section!.split(/\n(?=A [^\n]*:\n)/).slice(1);
  assert.equal(walks.length, 3);
  for (const walk of walks) {
    const stations = [...walk.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, name]) => name!);
    assert.ok(stations.length > 5 && stations.length <= 12, walk);
    assert.equal(new Set(stations).size, stations.length);
  }
});

test('a short file with one importer is explained in its README', () => {
  const importers = new Map<string, number>();
  for (const name of files) {
    for (const [, path] of read(name).matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
      const target = normalize(join(dirname(name), path!));
      importers.set(target, (importers.get(target) ?? 0) + 1);
    }
  }
  const small = files.filter(
    (name) =>
      !roles.test(name) &&
      (importers.get(name) ?? 0) <= 1 &&
      read(name).trimEnd().split('\n').length < fewLines,
  );
  const unexplained = small.filter((name) => {
    const wing = name.includes('/') ? name.split('/')[0]! : '.';
    return !read(join(wing, 'README.md')).includes(
      `\`${wing === '.' ? name : name.slice(wing.length + 1)}\``,
    );
  });
  assert.deepEqual(unexplained, []);
});
