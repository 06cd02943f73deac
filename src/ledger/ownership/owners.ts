import type { Day } from '../../platform/lib/days.ts';
import { getOrCreate } from '../../platform/lib/lists.ts';
import { globOf } from '../../platform/lib/text.ts';

export const ownerKinds = ['team', 'cost_center'] as const;
export type OwnerKind = (typeof ownerKinds)[number];

/** The name for costs that no rule maps. No owner can have it. */
export const unowned = 'unowned';

export function isUnowned(name: string): boolean {
  return name.trim().toLowerCase() === unowned;
}

/** In the order in which their rules are tried, so the rules that people wrote come first. */
export const ruleSources = ['manual', 'custom_properties', 'codeowners'] as const;
export type RuleSource = (typeof ruleSources)[number];

/** For costs that match each pattern that is not null: `*` is any text, a leading `=` takes it literally. */
export type Mapping = {
  kind: OwnerKind;
  owner: string;
  /** Ignores case. */
  repository: string | null;
  /** Matches the id or the name of the workflow. */
  workflow: string | null;
  /** Matches any one label, ignoring case. */
  label: string | null;
  validFrom: Day | null;
  validUntil: Day | null;
};

type Days = { start: Day; end: Day };

/** A job, or also a run if no rule reads labels. */
export type Owned = {
  repository: string;
  workflowId: string;
  workflowName: string;
  labels: readonly string[];
  day: Day;
};

export type Owners = {
  of: (owned: Owned) => string | null;
  /** Whether any rule has such a pattern. If not, callers need not look up the value. */
  readsWorkflows: boolean;
  readsLabels: boolean;
};

/** The owners by the rules of a kind that apply on any of the days. The first rule that matches decides. */
export function createOwners(mappings: readonly Mapping[], kind: OwnerKind, days: Days): Owners {
  const rules = mappings.filter((mapping) => mapping.kind === kind && holdsWithin(mapping, days)).map(ruleOf);
  const rulesFor = createIndex(rules);
  return {
    of: ({ repository, workflowId, workflowName, labels, day }) => {
      const names = [workflowId, workflowName];
      const matches = ({ mapping, workflow, label }: Rule) =>
        holdsWithin(mapping, { start: day, end: day }) &&
        (!workflow || names.some(workflow)) &&
        (!label || labels.some((text) => label(text.toLowerCase())));
      return rulesFor(repository.toLowerCase()).find(matches)?.mapping.owner ?? null;
    },
    readsWorkflows: rules.some(({ workflow }) => workflow !== null),
    readsLabels: rules.some(({ label }) => label !== null),
  };
}

function holdsWithin({ validFrom, validUntil }: Mapping, { start, end }: Days): boolean {
  return (validFrom === null || validFrom <= end) && (validUntil === null || validUntil >= start);
}

type Matcher = (text: string) => boolean;
type Rule = { place: number; mapping: Mapping; workflow: Matcher | null; label: Matcher | null };

function ruleOf(mapping: Mapping, place: number): Rule {
  const { workflow, label } = mapping;
  return {
    place,
    mapping,
    workflow: workflow === null ? null : matcherOf(workflow),
    label: label === null ? null : matcherOf(label.toLowerCase()),
  };
}

function matcherOf(pattern: string): Matcher {
  const literal = literalOf(pattern);
  return literal === null ? globOf(pattern) : (text) => text === literal;
}

/** The only text that the pattern matches, or null if it can match several. */
export function literalOf(pattern: string): string | null {
  if (pattern.startsWith('=')) return pattern.slice(1);
  return pattern.includes('*') ? null : pattern;
}

/** Finds the rules for a repository, in their order. Indexed, because thousands of rules name one repository each. */
function createIndex(rules: readonly Rule[]): (repository: string) => readonly Rule[] {
  const literal = new Map<string, Rule[]>();
  const others: { rule: Rule; matches: Matcher }[] = [];
  for (const rule of rules) {
    const pattern = rule.mapping.repository?.toLowerCase() ?? '*';
    const name = literalOf(pattern);
    if (name === null) others.push({ rule, matches: globOf(pattern) });
    else getOrCreate(literal, name, () => []).push(rule);
  }
  const known = new Map<string, readonly Rule[]>();
  return (repository) => {
    let found = known.get(repository);
    if (!found) {
      const matching = others.flatMap(({ rule, matches }) => (matches(repository) ? [rule] : []));
      found = [...(literal.get(repository) ?? []), ...matching].toSorted((a, b) => a.place - b.place);
      known.set(repository, found);
    }
    return found;
  };
}
