import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { announceServer, findRunningServers, newOperatorToken } from './runningServers.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'runcost-servers-'));
  after(() => rmSync(folder, { recursive: true }));
  return join(folder, 'data');
}

const newServer = () => ({
  url: 'http://127.0.0.1:8080',
  publicUrl: 'https://ci.acme.example',
  token: newOperatorToken(),
});
const permissionsOf = (path: string) => statSync(path).mode & 0o777;

test('a server is found until it is removed, in a folder and a file of its user alone', () => {
  const dataDir = newFolder();
  assert.deepEqual(findRunningServers(dataDir), []);
  const server = newServer();
  assert.match(server.token, /^runcost_operator_[\w-]{43}$/);
  const remove = announceServer(dataDir, server);
  const [folder, file] = [join(dataDir, 'servers'), join(dataDir, 'servers', `${process.pid}.json`)];
  assert.deepEqual([permissionsOf(folder), permissionsOf(file)], [0o700, 0o600]);
  assert.deepEqual(findRunningServers(dataDir), [server]);
  remove();
  assert.deepEqual(readdirSync(folder), []);
  remove();
});

test('a restart replaces the file, and the end of the earlier one does not remove it', () => {
  const dataDir = newFolder();
  const removeEarlier = announceServer(dataDir, newServer());
  const server = newServer();
  const remove = announceServer(dataDir, server);
  removeEarlier();
  assert.deepEqual(findRunningServers(dataDir), [server]);
  remove();
});

test('a start removes what killed servers left, and nobody finds it before', () => {
  const dataDir = newFolder();
  announceServer(dataDir, newServer());
  const folder = join(dataDir, 'servers');
  const own = join(folder, `${process.pid}.json`);
  // No process has so high an id.
  for (const name of ['99999999.json', '99999999.json.new'])
    writeFileSync(join(folder, name), readFileSync(own));
  assert.equal(findRunningServers(dataDir).length, 1);
  announceServer(dataDir, newServer());
  assert.deepEqual(readdirSync(folder), [`${process.pid}.json`]);
});

test('a copy of the folder does not lead to the server of the original', () => {
  const dataDir = newFolder();
  announceServer(dataDir, newServer());
  cpSync(dataDir, `${dataDir}-copy`, { recursive: true });
  assert.equal(findRunningServers(dataDir).length, 1);
  assert.deepEqual(findRunningServers(`${dataDir}-copy`), []);
});

test('a broken file is no server', () => {
  const dataDir = newFolder();
  announceServer(dataDir, newServer());
  writeFileSync(join(dataDir, 'servers', `${process.pid}.json`), '{');
  assert.deepEqual(findRunningServers(dataDir), []);
});
