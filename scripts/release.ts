import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

type State = { version: string; current: string; branch: string; changes: string; tags: string[] };

/** Why there can be no release; empty if there can. */
export function refusalsOf({ version, current, branch, changes, tags }: State): string[] {
  const reasons: [refuses: boolean, reason: string][] = [
    [!/^\d+\.\d+\.\d+$/.test(version), `"${version}" is no version like 1.2.3.`],
    [isBefore(version, current), `${version} is before ${current}.`],
    [tags.includes(`v${version}`), `The tag v${version} exists already.`],
    [branch !== 'main', `The branch is ${branch}, not main.`],
    [changes !== '', `There are uncommitted changes:\n${changes}`],
  ];
  return reasons.filter(([refuses]) => refuses).map(([, reason]) => reason);
}

function isBefore(version: string, other: string): boolean {
  const [ours, theirs] = [version, other].map((each) => each.split('.').map(Number)) as [number[], number[]];
  const index = ours.findIndex((part, at) => part !== theirs[at]);
  return index !== -1 && ours[index]! < theirs[index]!;
}

/** A capability, and its lines in the changelog. */
export type Section = { heading: string; lines: string };

export function readFragment(text: string): Section {
  const [, heading, lines] = /^### (.+)\n\n(- [^]+)$/.exec(text) ?? [];
  if (!heading || !lines) throw new Error(`This fragment is not a heading and a list:\n${text}`);
  return { heading, lines: lines.trim() };
}

/** Dates the unreleased version, or begins one, and adds the fragments' lines to their capabilities. */
export function changelogWith(
  changelog: string,
  fragments: readonly Section[],
  { version, date }: { version: string; date: string },
): string {
  const [start, ...versions] = changelog.split(/^(?=## )/m);
  const unreleased = / \(unreleased\)\n/.test(versions[0] ?? '') ? versions.shift()! : '';
  const sections = unreleased
    .split(/^### /m)
    .slice(1)
    .map((section): Section => {
      const [, heading, lines] = /^(.+)\n([^]*)$/.exec(section)!;
      return { heading: heading!, lines: lines!.trim() };
    });
  for (const { heading, lines } of fragments) {
    const section = sections.find((each) => each.heading === heading);
    if (section) section.lines += `\n${lines}`;
    else sections.push({ heading, lines });
  }
  const written = sections.map(({ heading, lines }) => `### ${heading}\n\n${lines}\n\n`);
  return `${[start, `## ${version} (${date})\n\n`, ...written, ...versions].join('').trimEnd()}\n`;
}

/** Pages and the chart name the version, too. */
export function withVersion(text: string, current: string, version: string): string {
  const names = new RegExp(
    `(runcost-|VERSION=|^version: |^appVersion: ')${RegExp.escape(current)}(?=\\.tgz| |'|$)`,
    'gm',
  );
  return text.replaceAll(names, `$1${version}`);
}

const read = (file: string): string => readFileSync(file, 'utf8');
const answerOf = (command: string, ...args: string[]): string =>
  execFileSync(command, args, { encoding: 'utf8' }).trim();
const run = (command: string, ...args: string[]): void =>
  void execFileSync(command, args, { stdio: 'inherit' });

/** npm runs this in the project's folder. */
function release(version: string, isDryRun: boolean): void {
  const { version: current } = JSON.parse(read('package.json')) as { version: string };
  const refusals = refusalsOf({
    version,
    current,
    branch: answerOf('git', 'branch', '--show-current'),
    changes: answerOf('git', 'status', '--porcelain'),
    tags: answerOf('git', 'tag').split('\n'),
  });
  if (refusals.length > 0) throw new Error(refusals.join('\n'));
  const files = globSync('changelog.d/*.md', { exclude: ['changelog.d/README.md'] }).toSorted();
  const fragments = files.map((file) => readFragment(read(file)));
  const date = new Date().toISOString().slice(0, 10);
  const changelog = changelogWith(read('CHANGELOG.md'), fragments, { version, date });
  run('docker', '--version');
  run('npm', 'run', 'check');
  run('npm', 'test');
  if (isDryRun) return console.log(changelog.split(/^(?=## )/m)[1]);

  writeFileSync('CHANGELOG.md', changelog);
  files.forEach((file) => rmSync(file));
  run('npm', 'version', version, '--no-git-tag-version', '--allow-same-version');
  for (const file of [...globSync('docs/**/*.md'), 'deploy/helm/Chart.yaml'])
    writeFileSync(file, withVersion(read(file), current, version));
  run('git', 'add', '--all');
  run('git', 'commit', '--message', `Release ${version}`);
  build(version);
  run('git', 'tag', `v${version}`);
  console.log(`Release ${version} is ready in release/. docs/how-to/release.md says how to publish it.`);
}

/** The npm package, its bill of materials, and the image. */
function build(version: string): void {
  mkdirSync('release', { recursive: true });
  run('npm', 'pack', '--pack-destination', 'release');
  copyFileSync(join('dist', 'sbom.cdx.json'), join('release', `runcost-${version}.cdx.json`));
  const revision = answerOf('git', 'rev-parse', 'HEAD');
  const labels = [`VERSION=${version}`, `REVISION=${revision}`].flatMap((label) => ['--build-arg', label]);
  run('docker', 'build', '--tag', `runcost:${version}`, ...labels, '.');
}

const help = `npm run release -- <version> [--dry-run]

Makes a release on this machine: the changelog, the npm package and the container image. Publishes nothing.

  --dry-run  only check, test and print the changelog's entry

docs/how-to/release.md has the steps.`;

if (import.meta.main) {
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values, positionals } = parseArgs({
      options: { 'dry-run': flag, help: { ...flag, short: 'h' } },
      allowPositionals: true,
    });
    if (values.help) console.log(help);
    else release(positionals[0] ?? '', values['dry-run']);
  } catch (error) {
    console.error(`No release. ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
