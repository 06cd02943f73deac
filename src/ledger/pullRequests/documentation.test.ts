import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDocumentation } from './documentation.ts';

for (const [path, expected] of Object.entries({
  'README.md': true,
  'packages/api/README.md': true,
  'docs/guide/images/flow.png': true,
  LICENSE: true,
  'LICENSE-APACHE': true,
  'mkdocs.yml': false,
  'requirements.txt': false,
  'src/docs/index.ts': false,
  'src/LICENSE.ts': false,
  '.github/pull_request_template.md': false,
  '.github/workflows/docs/ci.yml': false,
}))
  test(`${path} is ${expected ? '' : 'not '}documentation`, () => {
    assert.equal(isDocumentation(path), expected);
  });
