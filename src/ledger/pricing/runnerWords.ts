import type { PriceRule } from './priceList.ts';
import type { Providers, RunnerClassification, RunnerFacts } from './provider.ts';

/** A kind of runner as people call it, such as `Linux 2-core`; a kind that is not known, by its id. */
export function runnerTitle(kind: string, providers: Providers): string {
  return customName(kind) ?? providers.kind(kind)?.title ?? kind;
}

type ClassifiedRunner = RunnerFacts & Omit<RunnerClassification, 'kind'> & { kind: string | null };

/** How the kind of a runner was found, in one sentence. `rule` is the name of the rule that decided when it was priced. */
export function explainRunner({ kind, ...runner }: ClassifiedRunner, providers: Providers): string {
  if (kind === null) return `No rule knows a runner ${describe(runner)}, so no price is known for it.`;
  const title = runnerTitle(kind, providers);
  const organizationRule = ruleOfName(runner.rule);
  if (organizationRule) return explainRule(organizationRule, title);
  const label = runner.labels[0];
  if (runner.rule === 'runner_kind' && label !== undefined) {
    return `The label ${label} names the kind of runner: ${title}.`;
  }
  for (const provider of providers.list) {
    const text = provider.explainRule({ ...runner, kind }, title);
    if (text !== null) return text;
  }
  return `The rule ${runner.rule} tells that it is ${title}.`;
}

function explainRule(rule: Pick<PriceRule, 'match' | 'pattern'>, title: string): string {
  const matched = {
    label: `the label ${rule.pattern}`,
    regex: `labels that match ${rule.pattern}`,
    runner_group: `the runner group ${rule.pattern}`,
  }[rule.match];
  return `The organization's rule for ${matched} tells that it is ${title}.`;
}

function describe({ labels, runnerGroup }: RunnerFacts): string {
  const group = runnerGroup ? ` in the group ${runnerGroup}` : '';
  if (labels.length === 0) return `without labels${group}`;
  return `with the label${labels.length === 1 ? '' : 's'} ${labels.join(', ')}${group}`;
}

const customPrefix = 'custom:';

/** The kind under which a rule's own rate is stored and summed up. */
export function kindOfRule({ runnerKind, name }: PriceRule): string {
  return runnerKind ?? `${customPrefix}${name}`;
}

/** The name of a rule with a rate of its own, from the kind that is stored; null for every other kind. */
export function customName(kind: string): string | null {
  return kind.startsWith(customPrefix) ? kind.slice(customPrefix.length) : null;
}

/** The rule as it is stored with a job, for its receipt, which outlives the rule: `label:big-box`. */
export function nameOfRule({ match, pattern }: Pick<PriceRule, 'match' | 'pattern'>): string {
  return `${match}:${pattern}`;
}

/** The rule of that name; null where the name is one of the program's own rules. */
function ruleOfName(name: string): Pick<PriceRule, 'match' | 'pattern'> | null {
  const [, match, pattern] = /^(label|regex|runner_group):([^]*)$/.exec(name) ?? [];
  return match === undefined ? null : { match: match as PriceRule['match'], pattern: pattern! };
}
