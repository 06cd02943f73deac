import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createActorKinds, type Acted } from './actorKinds.ts';
import type { ActorPattern } from './actorPattern.ts';

const acted = (actor: string | null, others: Partial<Acted> = {}): Acted => ({
  actor,
  startedBy: actor,
  event: 'push',
  workflowPath: null,
  ...others,
});

function kindOf(attempt: Acted, patterns: ActorPattern[] = [], bots: string[] = []) {
  return createActorKinds({ patterns, bots: new Set(bots) }).of(attempt);
}

test('well-known names are agents and bots, in any case, and others are people', () => {
  const names = {
    agent: [
      'Copilot',
      'copilot-swe-agent[bot]',
      'claude[bot]',
      'chatgpt-codex-connector[bot]',
      'cursor[bot]',
    ],
    bot: ['dependabot[bot]', 'Renovate[bot]', 'github-actions[bot]', 'acme-release-bot', 'project_7_bot_1f'],
    person: ['mona', 'botticelli', 'abbot', 'Claudette'],
  };
  for (const [kind, of] of Object.entries(names))
    for (const name of of) assert.equal(kindOf(acted(name)), kind, name);
  for (const name of ['devin-ai-integration[bot]', 'google-labs-jules[bot]', 'gemini-code-assist[bot]'])
    assert.equal(kindOf(acted(name)), 'agent', name);
  assert.equal(kindOf(acted(null, { startedBy: 'Copilot' })), null);
});

test('an account that its provider reports as an app is a bot, or an agent if a pattern says so', () => {
  assert.equal(kindOf(acted('acme-helper')), 'person');
  assert.equal(kindOf(acted('acme-helper'), [], ['acme-helper']), 'bot');
  assert.equal(
    kindOf(acted('acme-helper'), [{ pattern: 'ACME-*', kind: 'agent' }], ['acme-helper']),
    'agent',
  );
  assert.equal(kindOf(acted('acme-helper'), [{ pattern: 'acme-*', kind: 'person' }], ['acme-helper']), 'bot');
});

test("an agent's workflow is the agent's, whoever starts it, and a re-run is of who re-runs it", () => {
  for (const workflowPath of ['dynamic/copilot-swe-agent/copilot', 'dynamic/agents/openai-code-agent']) {
    assert.equal(kindOf(acted('mona', { workflowPath })), 'agent');
    assert.equal(kindOf(acted('mona', { workflowPath, startedBy: 'Copilot' })), 'person');
    assert.equal(kindOf(acted('Copilot', { workflowPath, startedBy: 'mona' })), 'agent');
  }
  assert.equal(kindOf(acted('mona', { workflowPath: 'dynamic/dependabot/dependabot-updates' })), 'bot');
  assert.equal(kindOf(acted('mona', { workflowPath: 'dynamic/github-code-scanning/codeql' })), 'person');
});

test('a clock is a bot, until a person runs it again or a pattern names them', () => {
  const event = 'schedule';
  assert.equal(kindOf(acted('mona', { event })), 'bot');
  assert.equal(kindOf(acted('mona', { event, startedBy: 'ada' })), 'person');
  assert.equal(kindOf(acted('Copilot', { event })), 'agent');
  assert.equal(kindOf(acted('mona', { event }), [{ pattern: 'mona', kind: 'person' }]), 'person');
});

test('the most exact pattern decides, whatever the order in which patterns were made', () => {
  const patterns: ActorPattern[] = [
    { pattern: 'acme-*', kind: 'bot' },
    { pattern: 'acme-agent-*', kind: 'agent' },
    { pattern: 'acme-agent-of-mona', kind: 'person' },
    { pattern: 'dependabot*', kind: 'agent' },
  ];
  const expected = { 'acme-ci': 'bot', 'acme-agent-7': 'agent', 'acme-agent-of-mona': 'person' };
  fc.assert(
    fc.property(fc.shuffledSubarray(patterns, { minLength: 4 }), (order) => {
      for (const [name, kind] of Object.entries({ ...expected, 'dependabot[bot]': 'agent' }))
        assert.equal(kindOf(acted(name), order), kind, name);
    }),
  );
});
