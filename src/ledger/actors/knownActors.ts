import type { ActorKind, ActorPattern } from './actorPattern.ts';

/** When the names below were last compared with their sources. */
export const knownActorsCheckedOn = '2026-11-29';

/**
 * Names of GitHub's apps are those of https://github.com/apps/<name>. GitLab names accounts of tokens, service accounts and
 * flows: docs.gitlab.com/user/profile/service_accounts, …/project/settings/project_access_tokens, …/duo_agent_platform/flows.
 * Names that people can have too are hints, which an organization can overrule.
 */
export const knownActors: readonly ActorPattern[] = [
  ...named(
    'agent',
    `Copilot copilot-swe-agent* copilot-pull-request-reviewer* github-copilot*
    claude claude[bot] claude-code* anthropic-code-agent* anthropic-claude*
    codex codex[bot] chatgpt-codex-connector* openai-code-agent* openai-codex*
    cursor cursor[bot] cursoragent* cursor-agent* devin-ai* google-labs-jules* jules[bot]
    gemini-code-assist* gemini-cli* amazon-q-developer* openhands* opencode-agent* coderabbitai*
    sweep-ai* codegen-sh* factory-droid* greptile-apps* duo-developer-*`,
  ),
  ...named(
    'bot',
    `*[bot] dependabot* renovate* github-actions* mergify* snyk-bot pre-commit-ci* github-merge-queue*
    github-pages* web-flow allcontributors* release-please*
    project_*_bot* group_*_bot* service_account_*
    *-bot *_bot *-robot`,
  ),
];

/** Workflows that GitHub itself runs for an agent or a bot, by the paths in reports of their runs. */
export const knownPaths: readonly ActorPattern[] = [
  ...named('agent', 'dynamic/agents/* dynamic/copilot-* dynamic/*-agent/*'),
  ...named('bot', 'dynamic/dependabot/*'),
];

function named(kind: ActorKind, patterns: string): ActorPattern[] {
  return patterns.split(/\s+/).map((pattern) => ({ pattern, kind }));
}
