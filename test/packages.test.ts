import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { billOfMaterials, licensesFile, licensesPage, usedPackages } from '../scripts/packages.ts';

const permissive = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]);

test('docs/reference/licenses.md is up to date (npm run licenses)', () => {
  assert.equal(readFileSync(licensesFile, 'utf8'), licensesPage());
});

test('the program and its pages use only packages with permissive licenses, and two of MPL-2.0 and OFL-1.1', () => {
  const { program, pages } = usedPackages();
  assert.ok(program.length > 100 && pages.length > 90, `${program.length} and ${pages.length} packages`);
  assert.ok(program.some(({ name }) => name === 'fastify') && pages.some(({ name }) => name === 'react'));
  // One license is enough with OR; all count with AND.
  const isPermissive = (license: string): boolean =>
    license
      .replaceAll(/[()]/g, '')
      .split(' AND ')
      .every((part) => part.split(' OR ').some((each) => permissive.has(each)));
  // Files of these stay under their license. We change none, but cut unused characters from the font.
  const isOfFiles = ({ name, license }: { name: string; license: string }): boolean =>
    (name.startsWith('@resvg/resvg-js') && license === 'MPL-2.0') ||
    (name === '@fontsource-variable/inter' && license === 'OFL-1.1');
  assert.deepEqual(
    [...program, ...pages].filter((each) => !isPermissive(each.license) && !isOfFiles(each)),
    [],
  );
});

test('the bill of materials has each package once, with its license and hash', () => {
  const { components } = billOfMaterials() as { components: Record<string, unknown>[] };
  const fastify = components.find(({ name }) => name === '@fastify/cors')!;
  assert.match(String(fastify['purl']), /^pkg:npm\/%40fastify\/cors@11\.\d+\.\d+$/);
  assert.deepEqual(fastify['licenses'], [{ license: { id: 'MIT' } }]);
  assert.match(JSON.stringify(fastify['hashes']), /^\[\{"alg":"SHA-512","content":"[0-9a-f]{128}"\}\]$/);
  const refs = components.map((each) => each['bom-ref']);
  assert.equal(new Set(refs).size, refs.length);
  assert.ok(refs.length > 200, `${refs.length} packages`);
});
