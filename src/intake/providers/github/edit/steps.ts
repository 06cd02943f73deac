import type { PlanFile, WorkflowEdit } from '../../../../ledger/pricing/plan.ts';
import { patternOf } from '../../../../ledger/storage/sumUp.ts';
import { globOf } from '../../../../platform/lib/text.ts';
import { listOf, mapOf, readYaml, type YamlMap } from '../../readYaml.ts';
import { piecesOf } from '../plan/expressions.ts';
import { linesIn, type Planned } from './setValues.ts';

type Step = { at: (string | number)[]; uses: string; inputs: YamlMap; condition: unknown };

/** The steps of a file that use an action. */
function stepsOf({ content }: PlanFile, action: RegExp): Step[] {
  const read = readYaml(content);
  const jobs = mapOf(mapOf('value' in read && read.value)['jobs']);
  return Object.entries(jobs).flatMap(([key, job]) => {
    const { steps } = mapOf(job);
    return (Array.isArray(steps) ? listOf(steps) : []).flatMap((each, index) => {
      const { uses, with: inputs, if: condition } = mapOf(each);
      if (typeof uses !== 'string' || !action.test(uses)) return [];
      return [{ at: ['jobs', key, 'steps', index], uses, inputs: mapOf(inputs), condition }];
    });
  });
}

/** Whether a name in the file can become the recorded one. Its expressions can be any text. */
function canBe(written: unknown, pattern: string): boolean {
  const literals = piecesOf(String(written)).filter((_, index) => index % 2 === 0);
  // The stars of patterns stand for themselves here.
  const starless = (text: string) => text.replaceAll('*', '\0');
  const glob = literals.map((literal) => starless(patternOf(literal))).join('*');
  return /\w/.test(literals.join('')) && globOf(glob)(starless(pattern));
}

export function shortenRetention(
  file: PlanFile,
  { name, days }: Extract<WorkflowEdit, { action: 'shorten_retention' }>,
): Planned {
  const planned: Planned = { settings: [], refusals: [] };
  const lineOf = linesIn(file.content);
  const steps = stepsOf(file, /^actions\/upload-artifact(\/merge)?@/).filter(({ inputs }) =>
    canBe(inputs['name'] ?? 'artifact', name),
  );
  if (steps.length === 0)
    planned.refusals.push({
      reason: `No step of the file uploads an artifact named like ${name}.`,
      line: null,
    });
  for (const { at, inputs } of steps) {
    const { 'retention-days': known } = inputs;
    const refuse = (reason: string) => planned.refusals.push({ reason, line: lineOf(at) });
    if (Number(known) > 0 && Number(known) <= days) refuse(`It is kept ${Number(known)} days already.`);
    else if (known !== undefined && Number.isNaN(Number(known)))
      refuse(`retention-days is ${JSON.stringify(known)}, which a run decides.`);
    else if (Object.keys(inputs).length === 0) refuse('The step has no inputs.');
    else planned.settings.push({ at: [...at, 'with', 'retention-days'], value: days });
  }
  return planned;
}

const saving = /^actions\/cache(\/save)?@/;

export function cacheDefaultBranchOnly(file: PlanFile, name: string): Planned {
  const planned: Planned = { settings: [], refusals: [] };
  const lineOf = linesIn(file.content);
  for (const { at, uses, inputs, condition } of stepsOf(file, saving)) {
    if (!canBe(inputs['key'], name)) continue;
    const refuse = (reason: string) => planned.refusals.push({ reason, line: lineOf(at) });
    if (!uses.startsWith('actions/cache/save@'))
      refuse('actions/cache also saves when its job ends: use actions/cache/restore and actions/cache/save.');
    else if (condition !== undefined) refuse('The step has a condition already.');
    else
      planned.settings.push({
        at: [...at, 'if'],
        value: "github.event_name != 'pull_request'",
        after: 'uses',
      });
  }
  return planned;
}

/** What changes with each run, so that no later run finds the cache. */
const changing = /^\s*(github\.(sha|run_id|run_number|run_attempt))\s*$/;
/** By what a cache holds: the files that its content depends on, as the examples of actions/cache have them. */
const lockFiles: [RegExp, string][] = [
  [
    /node_modules|\.npm\b|\.yarn|yarn\/|\.pnpm|pnpm/,
    "'**/package-lock.json', '**/yarn.lock', '**/pnpm-lock.yaml'",
  ],
  [/\.cache\/pip|\bpip\b/, "'**/requirements*.txt', '**/pyproject.toml'"],
  [/\.gradle/, "'**/*.gradle*', '**/gradle-wrapper.properties'"],
  [/\.m2\b/, "'**/pom.xml'"],
  [/\.cargo|\btarget\b/, "'**/Cargo.lock'"],
  [/go\/pkg\/mod|\.cache\/go-build/, "'**/go.sum'"],
  [/\.bundle|vendor\/bundle/, "'**/Gemfile.lock'"],
  [/\.composer|composer\/cache/, "'**/composer.lock'"],
  [/\.nuget/, "'**/packages.lock.json'"],
];

export function useStableKey(file: PlanFile, name: string): Planned {
  const planned: Planned = { settings: [], refusals: [] };
  const lineOf = linesIn(file.content);
  for (const { at, inputs } of stepsOf(file, saving)) {
    if (!canBe(inputs['key'], name)) continue;
    const pieces = piecesOf(String(inputs['key']));
    const [, files] = lockFiles.find(([holds]) => holds.test(String(inputs['path']))) ?? [];
    const isChanging = (piece: string, index: number) => index % 2 === 1 && changing.test(piece);
    const refuse = (reason: string) => planned.refusals.push({ reason, line: lineOf(at) });
    if (!pieces.some(isChanging)) refuse('Runcost does not see what changes in the key.');
    else if (!files) refuse('Runcost does not know on which files the cache depends.');
    else {
      const value = pieces
        .map((piece, index) =>
          index % 2 === 0
            ? piece
            : isChanging(piece, index)
              ? `\${{ hashFiles(${files}) }}`
              : `\${{${piece}}}`,
        )
        .join('');
      planned.settings.push({ at: [...at, 'with', 'key'], value });
    }
  }
  return planned;
}
