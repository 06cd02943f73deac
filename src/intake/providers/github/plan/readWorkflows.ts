import type {
  Plan,
  PlanFile,
  PlannedJob,
  PlannedWorkflow,
  Unresolved,
} from '../../../../ledger/pricing/plan.ts';
import { inTurns } from '../../../../platform/lib/turns.ts';
import {
  isMap,
  isScalar,
  listOf,
  mapOf,
  readYamlFiles,
  sizeOf,
  textsOf,
  type YamlMap,
} from '../../readYaml.ts';
import {
  budget,
  evaluate,
  hasExpression,
  open,
  spend,
  textOf,
  unknown,
  type Budget,
  type Values,
} from './expressions.ts';
import { expandMatrix, onlyJob, tooLarge, type Combination } from './matrix.ts';
import { maxTitle, nameOf, nameTest, partsOf } from './names.ts';
import { readTriggers } from './triggers.ts';

/** GitHub's own limit for nested reusable workflows. */
const maxLevels = 10;
/** Limit for all workflows of a revision together. */
const maxJobs = 5_000;
/** Limit for everything that is read and computed. The largest known repositories use a tenth. */
const maxCharacters = 50_000_000;
const maxLabels = 50;

type Reading = {
  files: ReadonlyMap<string, YamlMap>;
  github: Values;
  unresolved: Unresolved[];
  jobCount: number;
  budget: Budget;
  /** By the path of the file. */
  unreadKeys: Map<string, Set<string>>;
  sizes: Map<YamlMap, number>;
  works: Map<YamlMap, string>;
};

/** Returns what the workflow files of a repository would run. Faults become entries of `unresolved`. */
export async function readGitHubWorkflows(
  files: readonly PlanFile[],
  { repository }: { repository: string },
): Promise<Plan> {
  const unresolved: Unresolved[] = [];
  const known = new Map<string, YamlMap>();
  for (const [path, read] of await readYamlFiles(files)) {
    const fault = 'fault' in read ? read.fault : isMap(read.value) ? null : 'has no jobs';
    if (fault !== null) unresolved.push({ path, job: null, reason: `The file ${fault}` });
    else known.set(path, mapOf('value' in read && read.value));
  }
  const github = { repository, repository_owner: repository.split('/')[0], [open]: true } as const;
  const reading: Reading = {
    files: known,
    github,
    unresolved,
    jobCount: 0,
    budget: { left: maxCharacters },
    unreadKeys: new Map(),
    sizes: new Map(),
    works: new Map(),
  };
  const workflows: PlannedWorkflow[] = [];
  for await (const [path, workflow] of inTurns(known)) {
    try {
      workflows.push(...readWorkflow(path, workflow, reading));
    } catch (error) {
      unresolved.push({ path, job: null, reason: `The file cannot be read: ${(error as Error).message}.` });
    }
  }
  return { workflows, unresolved };
}

/** Returns none for a workflow that only others call. */
function readWorkflow(path: string, workflow: YamlMap, reading: Reading): PlannedWorkflow[] {
  const isMissing = (value: unknown) => !isScalar(value) && Object.keys(value ?? {}).length === 0;
  const missing = ['on', 'jobs'].find((name) => isMissing(workflow[name]));
  if (missing !== undefined) {
    reading.unresolved.push({ path, job: null, reason: `The file has no \`${missing}\`` });
    return [];
  }
  const triggers = readTriggers(workflow['on']);
  if (triggers.length === 0) return [];
  const name = isScalar(workflow['name']) ? String(workflow['name']).slice(0, maxTitle) : path;
  const inputs = defaultsOf(mapOf(mapOf(workflow['on'])['workflow_dispatch'])['inputs']);
  const caller: Caller = {
    path,
    key: '',
    name: '',
    values: { inputs },
    callers: [workflow],
    condition: null,
    shard: { group: '', count: 1 },
    unknownMatrix: null,
  };
  return [
    {
      path,
      name,
      // Events about single jobs have no path.
      isOf: (run) => (run.workflowPath ? run.workflowPath === path : run.workflowName === name),
      triggers,
      jobs: jobsOf(workflow, caller, reading),
      unreadKeys: [...(reading.unreadKeys.get(path) ?? [])],
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
    Object.entries(mapOf(inputs)).map(([name, input]) => [
      name,
      scalarOr(mapOf(input)['default'] ?? null, null),
    ]),
  );
}

/** Inputs cannot be lists or maps. */
function scalarOr(value: unknown, other: unknown): unknown {
  return isScalar(value) || value === null ? value : other;
}

type Caller = {
  path: string;
  key: string;
  name: string;
  values: Values;
  /** The chain of files that call one another, down to this one. */
  callers: readonly YamlMap[];
  condition: string | null;
  shard: PlannedJob['shard'];
  unknownMatrix: string | null;
};

function jobsOf(workflow: YamlMap, caller: Caller, reading: Reading): PlannedJob[] {
  const env = literalsOf(workflow['env']);
  const { sizes } = reading;
  const values = {
    ...caller.values,
    env,
    github: reading.github,
    [open]: true as const,
    [budget]: reading.budget,
  };
  if (!sizes.has(workflow)) sizes.set(workflow, sizeOf(workflow));
  spend(values, sizes.get(workflow)!);
  return Object.entries(mapOf(workflow['jobs'])).flatMap(([givenId, job]) => {
    const id = givenId.slice(0, maxTitle);
    const place = { id, key: caller.key + id, caller, reading };
    if (!isMap(job)) note(place, 'It cannot be read');
    if (!isMap(job) || reading.jobCount > maxJobs) return unread(place, isMap(job) ? '' : place.key);
    if (neverRuns(job)) return [];
    return variantsOf(job, place, values).flatMap((variant) => {
      if (!isWithin(place)) return unread(place, '');
      return job['uses'] === undefined ? plannedJob(job, variant, place) : calledJobs(job, variant, place);
    });
  });
}

function neverRuns({ if: condition }: YamlMap): boolean {
  return isScalar(condition) && /^(\$\{\{ *false *\}\}|false)$/.test(String(condition).trim());
}

function unread({ caller: { path }, reading: { unreadKeys } }: Place, key: string): [] {
  unreadKeys.set(path, (unreadKeys.get(path) ?? new Set()).add(key));
  return [];
}

/** Counts a job, including one that calls others. Returns false and adds a note if there are too many. */
function isWithin(place: Place): boolean {
  const { reading } = place;
  if (reading.jobCount > maxJobs) return false;
  if (++reading.jobCount > maxJobs)
    note(place, `Only the first ${maxJobs} jobs are read; others are left out`);
  else if (reading.budget.left >= 0) return true;
  else note(place, `${tooLarge.fault}: others are left out`);
  reading.jobCount = maxJobs + 1;
  return false;
}

function literalsOf(env: unknown): Values {
  const literals = Object.entries(mapOf(env)).filter(
    ([, value]) => isScalar(value) && !hasExpression(String(value)),
  );
  return { ...Object.fromEntries(literals), [open]: true };
}

type Place = { id: string; key: string; caller: Caller; reading: Reading };

/** `hasName` matches recorded names, also if parts of `name` are unknown. */
type Variant = {
  values: Values;
  name: string;
  hasName: (recorded: string) => boolean;
  shard: PlannedJob['shard'];
};

function variantsOf(job: YamlMap, place: Place, values: Values): Variant[] {
  const strategy = resolved(job['strategy'], values);
  const matrix = strategy === unknown ? unknown : (mapOf(strategy)['matrix'] ?? null);
  const combinations = matrix === null ? [onlyJob] : expandMatrix(matrix, values);
  if ('fault' in combinations) {
    note(place, `${combinations.fault}: the number of its jobs is unknown`);
    return [variantOf(job, place, { ...values, matrix: unknown, strategy: unknown }, null)];
  }
  const total = combinations.length;
  return combinations.map((each, index) => {
    const own = { 'job-index': index, 'job-total': total, [open]: true as const };
    return variantOf(job, place, { ...values, matrix: each.values, strategy: own }, each);
  });
}

function variantOf(
  job: YamlMap,
  { id, key, caller }: Place,
  values: Values,
  combination: Combination | null,
): Variant {
  const title = isScalar(job['name']) && job['name'] !== '' ? String(job['name']).slice(0, maxTitle * 4) : id;
  const evaluated = evaluate(title, values);
  const isKnown = evaluated !== unknown && combination !== null;
  const text = evaluated === unknown ? title : textOf(evaluated);
  const name = isKnown ? nameOf(title, { text, id, named: combination.named }) : text.slice(0, maxTitle);
  const parts = isKnown ? [caller.name + name] : partsOf(caller.name + title, combination === null);
  const { group, count } = (combination ?? onlyJob).shard;
  const shard = {
    group: JSON.stringify([caller.shard.group, key, group]),
    count: caller.shard.count * count,
  };
  return { values, name, hasName: nameTest(parts), shard };
}

function plannedJob(job: YamlMap, { values, name, hasName, shard }: Variant, place: Place): PlannedJob[] {
  const { caller, key } = place;
  const { 'runs-on': runsOn, if: condition, 'timeout-minutes': timeout } = job;
  const runner = runnerOf(runsOn, values);
  if (runner.labels === null) note(place, 'Its runner is chosen when it runs', name);
  return [
    {
      key,
      name: caller.name + name,
      hasName,
      ...runner,
      timeout: isScalar(timeout) ? String(timeout) : null,
      condition: conditionOf(caller, condition),
      startedByHand: false,
      shard,
      unknownMatrix: unknownMatrixOf(job, values) ?? caller.unknownMatrix,
      work: workOf(job, place),
    },
  ];
}

function unknownMatrixOf(job: YamlMap, values: Values): string | null {
  const { strategy } = job;
  return values['matrix'] === unknown ? JSON.stringify(mapOf(strategy)['matrix'] ?? strategy) : null;
}

function conditionOf(caller: Caller, condition: unknown): string | null {
  const conditions = [caller.condition, condition].filter(isScalar);
  if (conditions.length === 0) return null;
  return conditions
    .map(String)
    .join(' && ')
    .slice(0, maxTitle * 4);
}

/** Computed once for all jobs of a matrix. */
function workOf(job: YamlMap, { reading: { works } }: Place): string {
  let known = works.get(job);
  if (known === undefined) {
    const {
      'runs-on': _runsOn,
      name: _,
      strategy: _strategy,
      if: _if,
      'timeout-minutes': _time,
      ...work
    } = job;
    known = JSON.stringify(work);
    works.set(job, known);
  }
  return known;
}

function runnerOf(runsOn: unknown, values: Values): Pick<PlannedJob, 'labels' | 'runnerGroup'> {
  const { group, labels } = isMap(runsOn) ? runsOn : { group: null, labels: runsOn };
  const name = group === null || group === undefined ? null : resolved(group, values);
  const given = listOf(labels);
  if (given.length > maxLabels) return { labels: null, runnerGroup: null };
  const evaluated = given.map((label) => resolved(label, values));
  if (name === unknown || evaluated.includes(unknown)) return { labels: null, runnerGroup: null };
  // A single expression may evaluate to a list, or to a group with labels.
  const [only] = evaluated;
  if (evaluated.length === 1 && isMap(only)) return runnerOf(only, values);
  const texts = evaluated.flatMap(textsOf).filter((label) => label !== '');
  if (texts.length === 0 && name === null) return { labels: null, runnerGroup: null };
  const isTooLong =
    texts.length > maxLabels || [textOf(name), ...texts].some((text) => text.length > maxTitle);
  if (isTooLong) return { labels: null, runnerGroup: null };
  return { labels: texts, runnerGroup: name === null ? null : textOf(name) };
}

function resolved(value: unknown, values: Values): unknown {
  return typeof value === 'string' && hasExpression(value) ? evaluate(value, values) : value;
}

function calledJobs(job: YamlMap, { values, name, shard }: Variant, place: Place): PlannedJob[] {
  const { caller, key, reading } = place;
  const uses = isScalar(job['uses']) ? String(job['uses']).slice(0, maxTitle) : '';
  const path = uses.startsWith('./') ? uses.slice(2) : null;
  const called = path === null ? undefined : reading.files.get(path);
  const fault =
    uses === ''
      ? 'Its `uses` is no text'
      : path === null
        ? `It calls ${uses}, which is in another repository`
        : called === undefined
          ? `It calls ${uses}, which is not among the files`
          : caller.callers.includes(called)
            ? `It calls ${uses}, which calls it`
            : caller.callers.length > maxLevels
              ? `It calls workflows in more than ${maxLevels} levels`
              : null;
  if (fault !== null) note(place, `${fault}: jobs inside it are not counted`, name);
  if (fault !== null || called === undefined) return unread(place, key);
  const inputs = defaultsOf(mapOf(mapOf(called['on'])['workflow_call'])['inputs']);
  const given = Object.entries(mapOf(job['with'])).map(([input, value]) => [
    input,
    scalarOr(resolved(value, values), unknown),
  ]);
  const callee: Caller = {
    path: caller.path,
    key: `${key} / `,
    name: `${caller.name}${name} / `,
    values: { inputs: { ...inputs, ...Object.fromEntries(given) } },
    callers: [...caller.callers, called],
    condition: conditionOf(caller, job['if']),
    shard,
    unknownMatrix: unknownMatrixOf(job, values) ?? caller.unknownMatrix,
  };
  return jobsOf(called, callee, reading);
}

const maxNotes = 200;

function note({ key, caller: { path }, reading: { unresolved } }: Place, reason: string, name = key): void {
  const isKnown = unresolved.some(
    (each) => each.path === path && each.job === name && each.reason === reason,
  );
  if (!isKnown && unresolved.length < maxNotes) unresolved.push({ path, job: name, reason: `${reason}.` });
}
