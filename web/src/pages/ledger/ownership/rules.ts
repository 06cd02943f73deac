import { initial, literal, parametersOf } from '../../../analysis/question.ts';
import type { Answer } from '../../../api/query.ts';
import { teamAddress } from '../../../ui/useAddress.ts';

export type Rule = Answer<'/api/v1/ownership/rules'>[number];
export type RuleCosts = Answer<'/api/v1/ownership/costs'>;

export const sources: Record<Rule['source'], string> = {
  manual: 'Written here',
  custom_properties: 'Custom properties',
  codeowners: 'CODEOWNERS',
};

export const kinds: Record<Rule['kind'], string> = { team: 'Team', cost_center: 'Cost center' };

/** Where the costs of an owner are; of nobody if it is null. */
export function ownerAddress(kind: Rule['kind'], owner: string | null): string {
  if (kind === 'team') return teamAddress(owner);
  const filters = [{ dimension: kind, isNot: false, values: [literal(owner)] }];
  return `/explore?${parametersOf({ ...initial, filters }).toString()}`;
}

/** The kinds that have unowned costs. A kind that owns nothing is not in use, unless no other is. */
export function unownedIn({ unowned, total }: RuleCosts): RuleCosts['unowned'] {
  const used = unowned.filter(({ jobs }) => jobs < total.jobs);
  const isInUse = used.length > 0 || unowned.length < Object.keys(kinds).length;
  return isInUse ? used : unowned.slice(0, 1);
}

/** The page's rules as they will be after a move. A rule that leaves the page moves once the server has answered. */
export function moved(rules: readonly Rule[], { id, position }: Pick<Rule, 'id' | 'position'>): Rule[] {
  const [from, to] = [rules.findIndex((rule) => rule.id === id), position - (rules[0]?.position ?? 1)];
  if (from < 0 || to < 0 || to >= rules.length) return [...rules];
  return rules
    .toSpliced(from, 1)
    .toSpliced(to, 0, rules[from]!)
    .map((rule, index) => ({ ...rule, position: rules[index]!.position }));
}
