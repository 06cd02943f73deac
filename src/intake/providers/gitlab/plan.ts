import type { Plan, PlanFile, PlannedJob, Unresolved } from '../../../ledger/pricing/plan.ts';
import { isMap, isScalar, listOf, mapOf, readYaml, textsOf, type YamlMap } from '../readYaml.ts';

const entryFile = '.gitlab-ci.yml';

/** https://docs.gitlab.com/ci/yaml/#global-keywords, and former ones that are no jobs. */
const globalKeys = new Set(
  'after_script before_script cache default image include services spec stages types variables workflow'.split(
    ' ',
  ),
);
const defaultKeys = ['tags', 'timeout'] as const;

const maxFiles = 150;
const maxLevels = 11;
const maxJobs = 2_000;
const maxParallel = 200;

/** The local files that a file includes, among those of the repository. */
export function includedFiles({ content }: PlanFile, paths: readonly string[]): string[] {
  const read = readYaml(content);
  const own = 'value' in read ? localPatterns(mapOf(read.value)) : [];
  return own.flatMap((pattern) => paths.filter(testOf(pattern)));
}

function localPatterns(file: YamlMap): string[] {
  return listOf(file['include']).flatMap((include) => {
    const local = isMap(include) ? include['local'] : include;
    return typeof local === 'string' && !isRemote(local) ? [local.replace(/^\/+/, '')] : [];
  });
}

function isRemote(address: string): boolean {
  return /^https?:\/\//.test(address);
}

/** `*` stands for a part of a name, and `**` for any folders. Linear, because the pieces are found one after another. */
function testOf(pattern: string): (path: string) => boolean {
  if (!pattern.includes('*')) return (path) => path === pattern;
  const isDeep = pattern.includes('**');
  const pieces = pattern.split(/\*+\/?/);
  return (path) => {
    if (!path.startsWith(pieces[0]!) || !path.endsWith(pieces.at(-1)!)) return false;
    let at = 0;
    for (const piece of pieces) {
      const found = path.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return isDeep || path.split('/').length === pattern.split('/').length;
  };
}

/** What a pipeline of the repository would run. Faults become entries of `unresolved`. */
export function readGitLabPipeline(files: readonly PlanFile[]): Plan {
  const unresolved: Unresolved[] = [];
  const note = (path: string, reason: string, job: string | null = null) => {
    if (unresolved.length < maxFiles) unresolved.push({ path, job, reason: `${reason}.` });
  };
  const entry = files.find(({ path }) => path === entryFile);
  if (!entry) return { workflows: [], unresolved };
  const merged = mergedFile(entry, { files, note, seen: new Set() });
  const entries = Object.entries(merged).filter(([key, job]) => !globalKeys.has(key) && isMap(job));
  const jobs: PlannedJob[] = [];
  for (const [key] of entries.filter(([name]) => !name.startsWith('.'))) {
    const job = extended(key, merged, maxLevels);
    if (job === null) note(entryFile, 'It extends a job that is not in the files', key);
    else if (job['trigger'] !== undefined)
      note(entryFile, 'It starts another pipeline, which is not counted', key);
    else jobs.push(...jobsOf(key, job, merged, note));
  }
  if (jobs.length > maxJobs) note(entryFile, `Only the first ${maxJobs} jobs are read`);
  const workflow = {
    ...{ path: entryFile, name: 'pipeline', isOf: () => true, triggers: null },
    jobs: jobs.slice(0, maxJobs),
    cancelsSuperseded: entries.some(([, job]) => mapOf(job)['interruptible'] === true),
  };
  return { workflows: [workflow], unresolved };
}

type Note = (path: string, reason: string, job?: string | null) => void;
type Merging = { files: readonly PlanFile[]; note: Note; seen: Set<string> };

/** A file over those that it includes. */
function mergedFile(file: PlanFile, merging: Merging): YamlMap {
  const { files, note, seen } = merging;
  if (seen.has(file.path)) return {};
  seen.add(file.path);
  const read = readYaml(file.content);
  if ('fault' in read) {
    note(file.path, `The file ${read.fault}`);
    return {};
  }
  const own = mapOf(read.value);
  for (const include of listOf(own['include'])) {
    const where = isMap(include) ? Object.keys(include).find((key) => remoteKinds.includes(key)) : null;
    const remote = isMap(include)
      ? where && include[where]
      : isScalar(include) && isRemote(String(include)) && include;
    if (remote) note(file.path, `It includes ${textsOf(remote).join(', ')}, which is not in the repository`);
  }
  const paths = files.map(({ path }) => path);
  const patterns = localPatterns(own);
  for (const pattern of patterns.filter((each) => !paths.some(testOf(each))))
    note(file.path, `It includes ${pattern}, which is not among the files`);
  const included = patterns.flatMap((pattern) => files.filter(({ path }) => testOf(pattern)(path)));
  return [...included.map((each) => mergedFile(each, merging)), own].reduce(deepMerged, {});
}

const remoteKinds = ['remote', 'project', 'template', 'component', 'artifact'];

/** Maps are merged, and anything else is replaced. */
function deepMerged(base: YamlMap, over: YamlMap): YamlMap {
  const both = Object.entries(over).map(([key, value]) => {
    const below = Object.hasOwn(base, key) ? base[key] : undefined;
    return [key, isMap(below) && isMap(value) ? deepMerged(below, value) : value] as const;
  });
  return { ...base, ...Object.fromEntries(both) };
}

/** Null where a template is missing, or templates extend each other in a circle. */
function extended(key: string, file: YamlMap, levels: number): YamlMap | null {
  const own = Object.hasOwn(file, key) ? file[key] : undefined;
  if (!isMap(own) || levels === 0) return null;
  const { extends: templates, ...job } = own;
  const bases = textsOf(templates).map((name) => extended(name, file, levels - 1));
  if (bases.includes(null)) return null;
  return [...(bases as YamlMap[]), job].reduce(deepMerged, {});
}

function jobsOf(key: string, job: YamlMap, file: YamlMap, note: Note): PlannedJob[] {
  const inherited = inheritedBy(job, file);
  const { tags, timeout, parallel, rules, only, except, when, ...work } = { ...inherited, ...job };
  const variables = { ...mapOf(file['variables']), ...mapOf(job['variables']) };
  const condition = [rules, only, except].some((each) => each !== undefined)
    ? JSON.stringify([rules, only, except, when])
    : null;
  const variants = variantsOf(key, parallel);
  if (variants === null) note(entryFile, 'Its `parallel` cannot be read, so it counts as one job', key);
  return (variants ?? [{ name: key, variables: {} }]).map((variant) => {
    const labels = textsOf(tags).map((tag) => withVariables(tag, { ...variables, ...variant.variables }));
    const isKnown = labels.every((label) => label !== null);
    if (!isKnown) note(entryFile, 'Its runner is chosen when it runs', variant.name);
    return {
      key,
      name: variant.name,
      hasName: (recorded: string) => recorded === variant.name,
      labels: isKnown ? (labels as string[]) : null,
      runnerGroup: null,
      timeout: isScalar(timeout) ? String(timeout) : null,
      condition,
      startedByHand: when === 'manual',
      work: JSON.stringify(work),
    };
  });
}

function inheritedBy(job: YamlMap, file: YamlMap): YamlMap {
  const inherit = mapOf(job['inherit'])['default'];
  if (inherit === false) return {};
  const defaults = mapOf(file['default']);
  const isInherited = (key: string) => !Array.isArray(inherit) || textsOf(inherit).includes(key);
  return Object.fromEntries(
    defaultKeys
      .filter((key) => defaults[key] !== undefined && isInherited(key))
      .map((key) => [key, defaults[key]]),
  );
}

type Variant = { name: string; variables: YamlMap };

/** `test 1/3` for a number, and `test: [a, b]` for a matrix. */
function variantsOf(key: string, parallel: unknown): Variant[] | null {
  if (parallel === undefined || parallel === null) return [{ name: key, variables: {} }];
  if (typeof parallel === 'number') {
    if (!Number.isInteger(parallel) || parallel < 1 || parallel > maxParallel) return null;
    return Array.from({ length: parallel }, (_, index) => ({
      name: `${key} ${index + 1}/${parallel}`,
      variables: {},
    }));
  }
  const variants: Variant[] = [];
  for (const entry of listOf(mapOf(parallel)['matrix'])) {
    const axes = Object.entries(mapOf(entry)).map(([name, values]) => [name, textsOf(values)] as const);
    if (axes.reduce((product, [, values]) => product * values.length, 1) > maxParallel) return null;
    const combinations = axes.reduce<[string, string][][]>(
      (made, [name, values]) =>
        made.flatMap((each) => values.map((value) => [...each, [name, value] as [string, string]])),
      [[]],
    );
    for (const each of combinations) {
      const values = each.map(([, value]) => value).join(', ');
      variants.push({ name: `${key}: [${values}]`, variables: Object.fromEntries(each) });
    }
  }
  return variants.length === 0 || variants.length > maxParallel ? null : variants;
}

/** Null with a variable that is not in the file. */
function withVariables(text: string, variables: YamlMap): string | null {
  let isKnown = true;
  const replaced = text.replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, plain?: string) => {
    const name = (braced ?? plain)!;
    const given = Object.hasOwn(variables, name) ? variables[name] : undefined;
    const value = isMap(given) ? given['value'] : given;
    isKnown &&= isScalar(value) && !String(value).includes('$');
    return isScalar(value) ? String(value) : '';
  });
  return isKnown ? replaced : null;
}
