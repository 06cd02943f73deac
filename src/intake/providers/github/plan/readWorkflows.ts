import type {
  Plan,
  PlanFile,
  PlannedJob,
  PlannedWorkflow,
  Unresolved,
} from '../../../../ledger/pricing/plan.ts';
import { isMap, isScalar, listOf, mapOf, readYaml, textsOf, type YamlMap } from '../../readYaml.ts';
import { evaluate, hasExpression, open, textOf, unknown, type Values } from './expressions.ts';
import { expandMatrix, leavesOf, type Combination } from './matrix.ts';
import { readTriggers } from './triggers.ts';

/** GitHub's own limit of reusable workflows in one another. */
const maxLevels = 10;
/** Of all workflows of a revision. */
const maxJobs = 5_000;

type Reading = {
  files: ReadonlyMap<string, YamlMap>;
  github: Values;
  unresolved: Unresolved[];
  jobCount: number;
};

/** What the workflow files of a repository would run. Faults become entries of `unresolved`. */
export function readGitHubWorkflows(
  files: readonly PlanFile[],
  { repository }: { repository: string },
): Plan {
  const unresolved: Unresolved[] = [];
  const known = new Map<string, YamlMap>();
  for (const { path, content } of files) {
    const read = readYaml(content);
    const fault = 'fault' in read ? read.fault : isMap(read.value) ? null : 'has no jobs';
    if (fault !== null) unresolved.push({ path, job: null, reason: `The file ${fault}` });
    else known.set(path, mapOf('value' in read && read.value));
  }
  const github = { repository, repository_owner: repository.split('/')[0], [open]: true } as const;
  const reading: Reading = { files: known, github, unresolved, jobCount: 0 };
  const workflows = [...known].flatMap(([path, workflow]) => readWorkflow(path, workflow, reading));
  return { workflows, unresolved };
}

/** None for a workflow that only others call. */
function readWorkflow(path: string, workflow: YamlMap, reading: Reading): PlannedWorkflow[] {
  const triggers = readTriggers(workflow['on']);
  if (triggers.length === 0) return [];
  const name = isScalar(workflow['name']) ? String(workflow['name']) : path;
  const inputs = defaultsOf(mapOf(mapOf(workflow['on'])['workflow_dispatch'])['inputs']);
  const caller: Caller = { path, key: '', name: '', values: { inputs }, levels: 0, condition: null };
  return [
    {
      path,
      name,
      // Events about jobs alone have no path.
      isOf: (run) => (run.workflowPath ? run.workflowPath === path : run.workflowName === name),
      triggers,
      jobs: jobsOf(workflow, caller, reading),
      cancelsSuperseded: cancelsSuperseded(workflow),
    },
  ];
}

function cancelsSuperseded({ concurrency, jobs }: YamlMap): boolean {
  const cancels = (value: unknown) =>
    ![undefined, false].includes(mapOf(value)['cancel-in-progress'] as undefined);
  return cancels(concurrency) || Object.values(mapOf(jobs)).some((job) => cancels(mapOf(job)['concurrency']));
}

function defaultsOf(inputs: unknown): Values {
  return Object.fromEntries(
    Object.entries(mapOf(inputs)).map(([name, input]) => [name, mapOf(input)['default'] ?? null]),
  );
}

type Caller = {
  path: string;
  key: string;
  name: string;
  values: Values;
  levels: number;
  condition: string | null;
};

function jobsOf(workflow: YamlMap, caller: Caller, reading: Reading): PlannedJob[] {
  const env = literalsOf(workflow['env']);
  return Object.entries(mapOf(workflow['jobs'])).flatMap(([id, job]) => {
    const place = { id, key: caller.key + id, caller, reading };
    if (!isMap(job)) return [];
    const values = { ...caller.values, env, github: reading.github, [open]: true } as const;
    return variantsOf(job, place, values).flatMap((variant) =>
      job['uses'] === undefined ? plannedJob(job, variant, place) : calledJobs(job, variant, place),
    );
  });
}

function literalsOf(env: unknown): Values {
  const literals = Object.entries(mapOf(env)).filter(
    ([, value]) => isScalar(value) && !hasExpression(String(value)),
  );
  return { ...Object.fromEntries(literals), [open]: true };
}

type Place = { id: string; key: string; caller: Caller; reading: Reading };

/** `name` is null where it depends on what is unknown; `form` matches such names. */
type Variant = { values: Values; name: string; hasName: (recorded: string) => boolean };

function variantsOf(job: YamlMap, place: Place, values: Values): Variant[] {
  const matrix = mapOf(job['strategy'])['matrix'];
  if (matrix === undefined || matrix === null)
    return [variantOf(job, place, { ...values, matrix: {} }, null)];
  const combinations = expandMatrix(matrix, values);
  if ('fault' in combinations) {
    note(place, `${combinations.fault}: recorded jobs show what it was`);
    return [variantOf(job, place, { ...values, matrix: unknown }, unknown)];
  }
  return combinations.map((each) => variantOf(job, place, { ...values, matrix: each }, each));
}

function variantOf(
  job: YamlMap,
  { id, caller }: Place,
  values: Values,
  matrix: Combination | typeof unknown | null,
): Variant {
  const title = isScalar(job['name']) && job['name'] !== '' ? String(job['name']) : id;
  const evaluated = evaluate(title, values);
  const leaves = matrix === null || matrix === unknown ? [] : leavesOf(matrix);
  const suffix = leaves.length > 0 && !hasExpression(title) ? ` (${leaves.join(', ')})` : '';
  const name = evaluated === unknown ? title : textOf(evaluated) + suffix;
  const full = caller.name + name;
  if (evaluated !== unknown && matrix !== unknown) return { values, name, hasName: nameTest([full]) };
  return { values, name, hasName: nameTest(partsOf(caller.name + title, matrix === unknown)) };
}

/** The known pieces of a name; anything may stand between them. */
function partsOf(title: string, isOpenEnded: boolean): string[] {
  const parts = title.split(/\$\{\{.*?\}\}/s);
  return isOpenEnded && parts.length === 1 ? [`${title} (`, ')'] : parts;
}

const maxNameLength = 100;

/** GitHub cuts long names, and ends them with dots. */
function nameTest(parts: readonly string[]): (recorded: string) => boolean {
  const [first = '', ...others] = parts;
  const last = others.at(-1);
  if (last === undefined)
    return (name) =>
      name === first ||
      (name.length >= maxNameLength && name.endsWith('...') && first.startsWith(name.slice(0, -3)));
  return (name) =>
    name.length >= first.length + last.length &&
    name.startsWith(first) &&
    name.endsWith(last) &&
    hasParts(name, parts);
}

function hasParts(name: string, parts: readonly string[]): boolean {
  let at = 0;
  return parts.every((part) => {
    const found = name.indexOf(part, at);
    at = found + part.length;
    return found !== -1;
  });
}

function plannedJob(job: YamlMap, { values, name, hasName }: Variant, place: Place): PlannedJob[] {
  const { caller, key, reading } = place;
  if (++reading.jobCount > maxJobs) {
    if (reading.jobCount === maxJobs + 1)
      note(place, `Only the first ${maxJobs} jobs are read; others are left out`);
    return [];
  }
  const {
    'runs-on': runsOn,
    name: _,
    strategy: _strategy,
    if: condition,
    'timeout-minutes': timeout,
    ...work
  } = job;
  const runner = runnerOf(runsOn, values);
  if (runner.labels === null) note(place, 'Its runner is chosen when it runs', name);
  const conditions = [caller.condition, condition].filter(isScalar).map(String);
  return [
    {
      key,
      name: caller.name + name,
      hasName,
      ...runner,
      timeout: isScalar(timeout) ? String(timeout) : null,
      condition: conditions.length > 0 ? conditions.join(' && ') : null,
      startedByHand: false,
      work: JSON.stringify(work),
    },
  ];
}

function runnerOf(runsOn: unknown, values: Values): Pick<PlannedJob, 'labels' | 'runnerGroup'> {
  const { group, labels } = isMap(runsOn) ? runsOn : { group: null, labels: runsOn };
  const name = group === null || group === undefined ? null : resolved(group, values);
  const evaluated = listOf(labels).map((label) => resolved(label, values));
  if (name === unknown || evaluated.includes(unknown)) return { labels: null, runnerGroup: null };
  // A single expression may make a list, or a group with labels.
  const [only] = evaluated;
  if (evaluated.length === 1 && isMap(only)) return runnerOf(only, values);
  const texts = evaluated.flatMap(textsOf).filter((label) => label !== '');
  if (texts.length === 0 && name === null) return { labels: null, runnerGroup: null };
  return { labels: texts, runnerGroup: name === null ? null : textOf(name) };
}

function resolved(value: unknown, values: Values): unknown {
  return typeof value === 'string' && hasExpression(value) ? evaluate(value, values) : value;
}

function calledJobs(job: YamlMap, { values, name }: Variant, place: Place): PlannedJob[] {
  const { caller, key, reading } = place;
  const uses = String(job['uses']);
  const path = uses.startsWith('./') ? uses.slice(2) : null;
  const called = path === null ? undefined : reading.files.get(path);
  const fault =
    path === null
      ? `It calls ${uses}, which is in another repository`
      : called === undefined
        ? `It calls ${uses}, which is not among the files`
        : caller.levels >= maxLevels
          ? `It calls workflows in more than ${maxLevels} levels`
          : null;
  if (fault !== null) note(place, `${fault}: jobs inside it are not counted`, name);
  if (fault !== null || called === undefined) return [];
  const inputs = defaultsOf(mapOf(mapOf(called['on'])['workflow_call'])['inputs']);
  const given = Object.entries(mapOf(job['with'])).map(([input, value]) => [input, resolved(value, values)]);
  const conditions = [caller.condition, job['if']].filter(isScalar).map(String);
  return jobsOf(
    called,
    {
      path: caller.path,
      key: `${key} / `,
      name: `${caller.name}${name} / `,
      values: { inputs: { ...inputs, ...Object.fromEntries(given) } },
      levels: caller.levels + 1,
      condition: conditions.length > 0 ? conditions.join(' && ') : null,
    },
    reading,
  );
}

const maxNotes = 200;

function note({ key, caller: { path }, reading: { unresolved } }: Place, reason: string, name = key): void {
  const isKnown = unresolved.some(
    (each) => each.path === path && each.job === name && each.reason === reason,
  );
  if (!isKnown && unresolved.length < maxNotes) unresolved.push({ path, job: name, reason: `${reason}.` });
}
