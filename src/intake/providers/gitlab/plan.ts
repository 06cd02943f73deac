import type {
  Plan,
  PlanFile,
  PlannedJob,
  PlannedWorkflow,
  Unresolved,
} from '../../../ledger/pricing/plan.ts';
import {
  isMap,
  isScalar,
  listOf,
  mapOf,
  readYaml,
  readYamlFiles,
  textsOf,
  type ReadYaml,
  type YamlMap,
} from '../readYaml.ts';
import { includeTest } from './includePath.ts';

const entryFile = '.gitlab-ci.yml';

/** https://docs.gitlab.com/ci/yaml/#global-keywords, and former keywords that are not jobs. */
const globalKeys = new Set(
  'after_script before_script cache default image include services spec stages types variables workflow'.split(
    ' ',
  ),
);
const defaultKeys = ['tags', 'timeout'] as const;

const maxFiles = 150;
/** Limit per file. */
const maxIncludes = 150;
const maxExtends = 50;
const maxTags = 50;
/** GitLab refuses longer names of jobs and tags. */
const maxName = 255;
/** Limit for keys of merged maps, which take some microseconds each. */
const maxMerged = 400_000;
const maxLevels = 11;
const maxJobs = 2_000;
const maxParallel = 200;

/** The files of the repository that a file includes with `include: local`. */
export function includedFiles({ content }: PlanFile, paths: readonly string[]): string[] {
  const read = readYaml(content);
  const own = 'value' in read ? localPatterns(mapOf(read.value)) : [];
  return own.flatMap((pattern) => paths.filter(includeTest(pattern)));
}

function localPatterns(file: YamlMap): string[] {
  return listOf(file['include'])
    .slice(0, maxIncludes)
    .flatMap((include) => {
      const local = isMap(include) ? include['local'] : include;
      return typeof local === 'string' && local.length <= maxPath && !isRemote(local)
        ? [local.replace(/^\/+/, '')]
        : [];
    });
}

const maxPath = 500;

function isRemote(address: string): boolean {
  return /^https?:\/\//.test(address);
}

/** Returns what a pipeline of the repository would run. Faults become entries of `unresolved`. */
export async function readGitLabPipeline(files: readonly PlanFile[]): Promise<Plan> {
  const unresolved: Unresolved[] = [];
  const note = (path: string, reason: string, job: string | null = null) => {
    if (unresolved.length < maxFiles) unresolved.push({ path, job, reason: `${reason}.` });
  };
  if (!files.some(({ path }) => path === entryFile)) return { workflows: [], unresolved };
  const read = await readYamlFiles(files);
  try {
    return { workflows: [pipelineOf(read, note)], unresolved };
  } catch (error) {
    note(entryFile, `The file cannot be read: ${(error as Error).message}`);
    return { workflows: [], unresolved };
  }
}

function pipelineOf(read: Files, note: Note): PlannedWorkflow {
  const merge = createMerge();
  const merged = mergedFile(entryFile, { files: read, note, merge, seen: new Set() });
  const known = new Map<string, YamlMap>();
  const entries = Object.entries(merged).filter(([key, job]) => !globalKeys.has(key) && isMap(job));
  const jobs: PlannedJob[] = [];
  for (const [key] of entries.filter(([name]) => !name.startsWith('.'))) {
    if (jobs.length > maxJobs) break;
    if (key.length > maxName) {
      note(entryFile, 'A job has a name that GitLab refuses');
      continue;
    }
    const job = extended(key, { file: merged, merge, known, levels: maxLevels });
    if (job === null) note(entryFile, 'It extends a job that is not in the files', key);
    else if (job['trigger'] !== undefined)
      note(entryFile, 'It starts another pipeline, which is not counted', key);
    else jobs.push(...jobsOf(key, job, merged, note));
  }
  if (jobs.length > maxJobs) note(entryFile, `Only the first ${maxJobs} jobs are read`);
  return {
    path: entryFile,
    name: 'pipeline',
    isOf: () => true,
    triggers: null,
    jobs: jobs.slice(0, maxJobs),
    unreadKeys: jobs.length > maxJobs ? [''] : [],
    cancelsSuperseded: entries.some(([, job]) => mapOf(job)['interruptible'] === true),
  };
}

type Note = (path: string, reason: string, job?: string | null) => void;
type Merge = (base: YamlMap, over: YamlMap) => YamlMap;
type Files = ReadonlyMap<string, ReadYaml>;
type Merging = { files: Files; note: Note; merge: Merge; seen: Set<string> };

/** Merges a file over the files that it includes. */
function mergedFile(path: string, merging: Merging): YamlMap {
  const { files, note, merge, seen } = merging;
  if (seen.has(path)) return {};
  seen.add(path);
  const read = files.get(path)!;
  if ('fault' in read) {
    note(path, `The file ${read.fault}`);
    return {};
  }
  const own = mapOf(read.value);
  const includes = listOf(own['include']);
  if (includes.length > maxIncludes) note(path, `It includes more than ${maxIncludes} files`);
  for (const include of includes.slice(0, maxIncludes)) {
    const where = isMap(include) ? Object.keys(include).find((key) => remoteKinds.includes(key)) : null;
    const remote = isMap(include)
      ? where && include[where]
      : isScalar(include) && isRemote(String(include)) && include;
    if (remote) note(path, `It includes ${textsOf(remote).join(', ')}, which is not in the repository`);
  }
  const paths = [...files.keys()];
  const patterns = localPatterns(own);
  for (const pattern of patterns.filter((each) => !paths.some(includeTest(each))))
    note(path, `It includes ${pattern}, which is not among the files`);
  const included = new Set(patterns.flatMap((pattern) => paths.filter(includeTest(pattern))));
  return [...[...included].map((each) => mergedFile(each, merging)), own].reduce(merge, {});
}

const remoteKinds = ['remote', 'project', 'template', 'component', 'artifact'];

/** Maps are merged; any other value is replaced. */
function createMerge(): Merge {
  let left = maxMerged;
  return function merge(base, over): YamlMap {
    const both = Object.entries(over).map(([key, value]) => {
      const below = Object.hasOwn(base, key) ? base[key] : undefined;
      return [key, isMap(below) && isMap(value) ? merge(below, value) : value] as const;
    });
    left -= both.length + Object.keys(base).length;
    if (left < 0) throw new Error('its files and templates are too large together');
    return { ...base, ...Object.fromEntries(both) };
  };
}

type Extending = { file: YamlMap; merge: Merge; known: Map<string, YamlMap>; levels: number };

/** Null if a template is missing, or templates extend each other in a circle. */
function extended(key: string, extending: Extending): YamlMap | null {
  const { file, merge, known, levels } = extending;
  if (known.has(key)) return known.get(key)!;
  const own = Object.hasOwn(file, key) ? file[key] : undefined;
  if (!isMap(own) || levels === 0) return null;
  const { extends: templates, ...job } = own;
  const names = textsOf(templates);
  if (names.length > maxExtends) return null;
  let bases: YamlMap = {};
  for (const name of names) {
    const base = extended(name, { ...extending, levels: levels - 1 });
    // Merging the others could repeat the circle many times.
    if (base === null) return null;
    bases = merge(bases, base);
  }
  const whole = merge(bases, job);
  known.set(key, whole);
  return whole;
}

function jobsOf(key: string, job: YamlMap, file: YamlMap, note: Note): PlannedJob[] {
  const inherited = inheritedBy(job, file);
  const { tags, timeout, parallel, rules, only, except, when, ...work } = { ...inherited, ...job };
  const variables = { ...mapOf(file['variables']), ...mapOf(job['variables']) };
  const condition = [rules, only, except].some((each) => each !== undefined)
    ? JSON.stringify([rules, only, except, when])
    : null;
  const variants = variantsOf(key, parallel);
  if (variants === null)
    note(entryFile, 'Its `parallel` cannot be read: the number of its jobs is unknown', key);
  const asked = textsOf(tags);
  const workText = JSON.stringify(work);
  return (variants ?? [wholeOf(key)]).map((variant) => {
    const all = { ...variables, ...variant.variables };
    const labels = asked.slice(0, maxTags + 1).map((tag) => withVariables(tag, all));
    const isKnown = asked.length <= maxTags && labels.every((label) => label !== null);
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
      shard: variant.shard,
      unknownMatrix: variants === null ? JSON.stringify(parallel) : null,
      work: workText,
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

type Variant = { name: string; variables: YamlMap; shard: PlannedJob['shard'] };

function wholeOf(name: string, variables: YamlMap = {}): Variant {
  return { name, variables, shard: { group: name, count: 1 } };
}

/** `test 1/3` for a number, and `test: [a, b]` for a matrix. */
function variantsOf(key: string, parallel: unknown): Variant[] | null {
  if (parallel === undefined || parallel === null) return [wholeOf(key)];
  if (typeof parallel === 'number') {
    if (!Number.isInteger(parallel) || parallel < 1 || parallel > maxParallel) return null;
    return Array.from({ length: parallel }, (_, index) => ({
      name: `${key} ${index + 1}/${parallel}`,
      variables: {},
      shard: { group: key, count: parallel },
    }));
  }
  const variants: Variant[] = [];
  for (const entry of listOf(mapOf(parallel)['matrix'])) {
    const axes = Object.entries(mapOf(entry)).map(([name, values]) => [name, textsOf(values)] as const);
    const lengths = axes.map(([, values]) => values.length);
    if (lengths.includes(0) || axes.length > maxParallel) return null;
    if (variants.length + lengths.reduce((product, length) => product * length, 1) > maxParallel) return null;
    if (axes.some(([, values]) => values.some((value) => value.length > maxName))) return null;
    const combinations = axes.reduce<[string, string][][]>(
      (made, [name, values]) =>
        made.flatMap((each) => values.map((value) => [...each, [name, value] as [string, string]])),
      [[]],
    );
    for (const each of combinations) {
      const values = each.map(([, value]) => value).join(', ');
      variants.push(wholeOf(`${key}: [${values}]`, Object.fromEntries(each)));
    }
  }
  return variants.length === 0 || variants.length > maxParallel ? null : variants;
}

/** Null if the text has a variable that the file does not define. */
function withVariables(text: string, variables: YamlMap): string | null {
  if (text.length > maxName) return null;
  let [isKnown, length] = [true, 0];
  const replaced = text.replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, plain?: string) => {
    const name = (braced ?? plain)!;
    const given = Object.hasOwn(variables, name) ? variables[name] : undefined;
    const value = isMap(given) ? given['value'] : given;
    const valueText = isScalar(value) ? String(value) : '$';
    length += valueText.length;
    isKnown &&= length <= maxName && !valueText.includes('$');
    return isKnown ? valueText : '';
  });
  return isKnown ? replaced : null;
}
