import { RE2JS } from 're2js';
import type { Trigger } from '../../../../ledger/pricing/plan.ts';
import { isMap, listOf, mapOf, textsOf, type YamlMap } from '../../readYaml.ts';

/** `on:` can be a text, a list or a map. */
export function readTriggers(on: unknown): Trigger[] {
  const events: [string, YamlMap][] = isMap(on)
    ? Object.entries(on).map(([event, filters]) => [
        event,
        event === 'schedule'
          ? { crons: listOf(filters).flatMap((each) => textsOf(mapOf(each)['cron'])) }
          : mapOf(filters),
      ])
    : textsOf(on).map((event) => [event, {}]);
  if (events.length > maxTriggers || events.some(([event]) => event.length > maxTriggers))
    throw new Error(`it has more than ${maxTriggers} events`);
  return events
    .filter(([event]) => event !== 'workflow_call')
    .map(([event, filters]) => triggerOf(event, filters));
}

const maxTriggers = 100;
/** Limits for one filter. */
const maxPatterns = 200;
const maxCharacters = 1_000;
/** Limit for a filter's patterns with wildcards, because each recorded branch is compared with all of them. */
const maxPatternCharacters = 1_000;

/** Filters that change which runs start. Others, such as inputs, do not. */
const filterNames = [
  'branches',
  'branches-ignore',
  'tags',
  'tags-ignore',
  'paths',
  'paths-ignore',
  'types',
  'workflows',
];

function triggerOf(event: string, filters: YamlMap): Trigger {
  const given = filterNames.filter((name) => filters[name] !== undefined);
  const crons = textsOf(filters['crons']);
  for (const texts of [crons, ...given.map((name) => textsOf(filters[name]))])
    if (texts.length > maxPatterns || texts.some((text) => text.length > maxCharacters))
      throw new Error(`a filter of ${event} has more than ${maxPatterns} entries, or long ones`);
  // The filter is about the branch that a pull request merges into, but the recorded branch is its own.
  const takesBranch = event === 'push' ? branchTest(filters) : null;
  const isAnswered = (name: string) => takesBranch !== null && /^(branches|tags)/.test(name);
  return {
    event,
    filter: JSON.stringify([...given.map((name) => [name, filters[name]]), crons.toSorted()]),
    crons,
    takesBranch,
    unknownFilters: given.filter((name) => !isAnswered(name)),
  };
}

/** With filters for tags only, no branch starts a run. Null if the patterns are too long to compare. */
function branchTest(filters: YamlMap): ((branch: string) => boolean) | null {
  const [only, except, tags] = ['branches', 'branches-ignore', 'tags'].map((name) => filters[name]);
  if (only !== undefined) return patternTest(textsOf(only));
  if (except !== undefined) {
    const isExcluded = patternTest(textsOf(except));
    return isExcluded && ((branch) => !isExcluded(branch));
  }
  const takesAll = tags === undefined && filters['tags-ignore'] === undefined;
  const takesTag = patternTest(textsOf(tags));
  return takesAll ? () => true : takesTag;
}

/** The last matching pattern decides; `!` excludes. */
function patternTest(patterns: readonly string[]): ((name: string) => boolean) | null {
  const tests = patterns.map((given) => {
    const isExclusion = given.startsWith('!');
    const pattern = isExclusion ? given.slice(1) : given;
    return { takes: !isExclusion, pattern, form: isPlain(pattern) ? null : formOf(pattern) };
  });
  const characters = tests.reduce((sum, { form, pattern }) => sum + (form ? pattern.length : 0), 0);
  if (characters > maxPatternCharacters) return null;
  const known = new Map<string, boolean>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const matching = tests.findLast(({ pattern, form }) =>
      form ? form.matcher(name).matches() : pattern === name,
    );
    known.set(name, matching?.takes ?? false);
    return matching?.takes ?? false;
  };
}

function isPlain(pattern: string): boolean {
  return /^[\w./-]*$/.test(pattern);
}

/** https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#filter-pattern-cheat-sheet */
function formOf(pattern: string): RE2JS | null {
  const source = pattern.replaceAll(/\*\*|\*|\\.|[.^$(){}|]/g, (found) => {
    if (found === '**') return '.*';
    if (found === '*') return '[^/]*';
    return found.startsWith('\\') ? found : `\\${found}`;
  });
  try {
    return RE2JS.compile(source);
  } catch {
    return null;
  }
}
