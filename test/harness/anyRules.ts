import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { TestOrganization } from './app.ts';

/** Ownership rules that hold from and until some days ago. */
export function anyRuleFrom(dayAt: (daysAgo: number) => string) {
  const anyDay = fc.option(
    fc.integer({ min: 0, max: 25 }).map((ago) => dayAt(ago)),
    { freq: 2 },
  );
  return (
    fc
      .record({
        kind: fc.constantFrom('team', 'cost_center'),
        owner: fc.constantFrom('Platform', 'Web', 'Ops'),
        repository: fc.constantFrom('acme/API', 'acme/*', '*e*', 'acme/none', null),
        workflow: fc.constantFrom('CI', 'D*', null, null),
        label: fc.constantFrom('X64', 'self-*', 'linux_2_core', null, null),
        from: anyDay,
        until: anyDay,
      })
      // Runs have teams only if no rule reads labels.
      .map(({ from, until, label, ...rule }) => ({
        ...rule,
        label: rule.kind === 'team' ? null : label,
        valid_from: from && until && from > until ? until : from,
        valid_until: from && until && from > until ? from : until,
      }))
      .filter(({ repository, workflow, label }) => (repository ?? workflow ?? label) !== null)
  );
}

export type Rule = ReturnType<typeof anyRuleFrom> extends fc.Arbitrary<infer T> ? T : never;

/** Returns the accepted rules. Others are refused because they would never apply. */
export async function addRules(organization: TestOrganization, rules: Rule[]): Promise<Rule[]> {
  const added: Rule[] = [];
  for (const rule of rules) {
    const { status } = await organization.send('POST', '/api/v1/ownership/rules', rule);
    if (status === 201) added.push(rule);
    else assert.equal(status, 409);
  }
  return added;
}
