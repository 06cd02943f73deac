/** The image, Compose, the systemd unit and the chart, compared with the program. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { settings } from '../src/config.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const known = new Set<string>(settings.map(([name]) => name));
const packageJson = JSON.parse(read('package.json')) as { version: string; files: string[] };

test('the deployment files set only settings that the program has', () => {
  const named = [
    ...read('compose.yaml').matchAll(/^ {6}([A-Z_]+):/gm),
    ...read('deploy/compose.env.example').matchAll(/^([A-Z_]+)=/gm),
    ...read('deploy/runcost.service').matchAll(/^Environment=([A-Z_]+)/gm),
    ...read('Dockerfile').matchAll(/\b([A-Z_]{4,})=(?=\S+(?: |$))/g),
    ...read('deploy/helm/values.yaml').matchAll(/^ {2}([A-Z_]+):/gm),
    ...read('deploy/helm/templates/deployments.yaml').matchAll(/- name: ([A-Z_]+)$/gm),
  ].map(([, name]) => name!);
  assert.ok(named.length > 15, named.join());
  const foreign = new Set(named.filter((name) => !known.has(name) && !name.startsWith('POSTGRES_')));
  assert.deepEqual([...foreign].toSorted(), ['NODE_ENV']);
});

test('the image has what the npm package has to run, and is sent nothing else', () => {
  const dockerfile = read('Dockerfile');
  const [, final] = /\nFROM \S+\n([^]*)$/.exec(dockerfile)!;
  const needed = packageJson.files.filter((name) => !/\.md$|^docs$|^ops$/.test(name));
  for (const name of needed)
    assert.match(final!, new RegExp(`^COPY .*\\b${name.replace('.', '\\.')}\\b`, 'm'), name);
  assert.match(final!, /^USER 10001:10001$/m);
  assert.match(final!, /^ENTRYPOINT \["node", /m);
  const sent = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, name]) => name!);
  assert.deepEqual(
    sent.filter((name) => !existsSync(join(root, name))),
    [],
  );
});

test('the chart has the version of the program, and a value for each that its templates read', () => {
  assert.match(
    read('deploy/helm/Chart.yaml'),
    new RegExp(`^appVersion: ["']${packageJson.version}["']$`, 'm'),
  );
  const values = read('deploy/helm/values.yaml');
  const schema = JSON.parse(read('deploy/helm/values.schema.json')) as {
    properties: Record<string, unknown>;
  };
  for (const file of globSync('deploy/helm/templates/*', { cwd: root })) {
    for (const [, group, name] of read(file).matchAll(/\.Values\.(\w+)(?:\.(\w+))?/g)) {
      const section = new RegExp(`^${group}:(.*\\n(?:(?: .*|#.*)?\\n)*)`, 'm').exec(values)?.[1];
      assert.ok(section !== undefined && schema.properties[group!], `${file}: ${group}`);
      if (name) assert.match(section, new RegExp(`^ {2}${name}:`, 'm'), `${file}: ${group}.${name}`);
    }
  }
});

test('the health check of the image succeeds only while the server answers', () => {
  const [, command] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(read('Dockerfile'))!;
  const [program, ...args] = JSON.parse(command!) as string[];
  assert.equal(program, 'node');
  const check = (PORT: string) =>
    spawnSync(process.execPath, args, { env: { PORT }, encoding: 'utf8' }).status;
  assert.equal(check('1'), 1);
  const server = `require('node:http').createServer((request, response) => {
    response.statusCode = request.url === '/healthz' ? 200 : 404; response.end();
  }).listen(0, '127.0.0.1', function () {
    const env = { PORT: String(this.address().port) };
    require('node:child_process').execFile(process.execPath, ${JSON.stringify(args)}, { env }, (error) => process.exit(error ? 1 : 0));
  });`;
  assert.equal(execFileSync(process.execPath, ['--eval', server], { encoding: 'utf8' }), '');
});
