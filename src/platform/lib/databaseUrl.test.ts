import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDatabaseUrl } from './databaseUrl.ts';

test('an address of a database names one server or several', () => {
  for (const [text, urls, isForChanges] of [
    ['postgres://u:p@h/db', ['postgres://u:p@h/db'], false],
    ['postgresql://h:5433', ['postgresql://h:5433'], false],
    [
      'postgres:///db?host=/run/postgresql&port=5433',
      ['postgres:///db?host=/run/postgresql&port=5433'],
      false,
    ],
    ['postgres://u:p@h/db?target_session_attrs=any', ['postgres://u:p@h/db'], false],
    [
      'postgres://u@h/db?target_session_attrs=primary&sslmode=require',
      ['postgres://u@h/db?sslmode=require'],
      true,
    ],
    [
      'postgres://u:p%2C@h1:5432,h2,[fd00::1]:5433/db?target_session_attrs=read-write',
      ['postgres://u:p%2C@h1:5432/db', 'postgres://u:p%2C@h2/db', 'postgres://u:p%2C@[fd00::1]:5433/db'],
      true,
    ],
    ['postgres://%2Frun%2Fa,%2Frun%2Fb/db', ['postgres://%2Frun%2Fa/db', 'postgres://%2Frun%2Fb/db'], true],
    // A comma or @ of a password needs no escape if it can only be part of it.
    [
      'postgres://u:p@ss,word@h1,h2/db',
      ['postgres://u:p@ss,word@h1/db', 'postgres://u:p@ss,word@h2/db'],
      true,
    ],
  ] as const)
    assert.deepEqual(readDatabaseUrl(text), { urls, isForChanges }, text);
});

test('anything else is refused', () => {
  for (const text of [
    '',
    'h1,h2',
    'mysql://h/db',
    'postgres://h1,/db',
    'postgres://,/db',
    'postgres://h1:,h2/db',
    'postgres://h1:port,h2/db',
    'postgres://h1:99999,h2/db',
    'postgres://h 1,h2/db',
    'postgres://h1,h2/db?host=/run',
    'postgres://h1,h2/db?port=5432',
    'postgres://h1,h2/db?target_session_attrs=standby',
    'postgres://h/db?target_session_attrs=read-only',
    'postgres://h/db?target_session_attrs=',
  ])
    assert.equal(readDatabaseUrl(text), null, text);
});
