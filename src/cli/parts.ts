import type { Command } from 'commander';
import type { TailoredGroup } from './verbCommand.ts';

/** Commands that one file adds. It is loaded only for them, so that each command starts fast. */
export type Part = {
  /** First words, with what `--help` says of them. */
  words: Record<string, string>;
  /** First words of the names of verbs whose commands these are, if they are others. */
  nouns?: readonly string[];
  tailored?: () => Promise<TailoredGroup>;
  /** `whole` makes a program with all commands. */
  add?: () => Promise<(program: Command, whole: () => Promise<Command>) => unknown>;
};

export const parts: readonly Part[] = [
  {
    words: {
      'sign-in': 'print a link that signs a browser in once, as an owner',
      sessions: 'list and end the sessions of browsers',
      member: 'list, add, change and remove members',
      token: 'create, list and revoke tokens',
      invite: 'invite a person by email, or print a link that makes one a member',
      invitation: 'list, send again and revoke invitations',
      resume: 'end the hold of a restored, copied or moved Runcost',
      hold: 'show what holds the server back',
    },
    nouns: ['member', 'token', 'invitation', 'session', 'sign-in-link', 'hold'],
    tailored: async () => (await import('./tenancy.ts')).tenancyCommands,
  },
  {
    words: {
      login: 'sign in to a server: confirm a code in the browser, and keep its token on this machine',
      logout: 'sign out: revoke the token of `login` and forget it',
      whoami: 'show the server, the organization and your rights there',
      context: 'list, choose and remove servers of `login`',
    },
    add: async () => (await import('./login.ts')).addLoginCommands,
  },
  {
    words: { api: 'send a request to the API and print the answer' },
    add: async () => (await import('./api.ts')).addApiCommand,
  },
  {
    words: { alert: 'list, check, measure, preview and create alerts' },
    tailored: async () => (await import('./alert.ts')).alertCommands,
  },
  {
    words: { webhook: 'create and change webhooks, and list, resend and forward their deliveries' },
    tailored: async () => (await import('./webhook.ts')).webhookCommands,
  },
  {
    words: { connect: 'connect a provider' },
    nouns: ['gitlab'],
    tailored: async () => (await import('./connect.ts')).connectCommands,
  },
  {
    words: {
      backfill: 'read past and missed CI history',
      usage: "import CircleCI's usage data, which prices its jobs",
    },
    tailored: async () => (await import('./backfill.ts')).backfillCommands,
  },
  {
    words: { export: 'write runs, jobs or costs to a file' },
    tailored: async () => (await import('./export.ts')).exportCommands,
  },
  {
    words: { 'scheduled-export': 'upload exports to object storage on a schedule' },
    tailored: async () => (await import('./scheduledExport.ts')).scheduledExportCommands,
  },
  {
    words: {
      costs: 'show costs by repository, workflow, branch, runner and more',
      showback: 'show what each team or cost center spent in a month',
      workflows: 'list the workflows with their costs, runs and durations',
      run: 'list runs, and delete those reported by mistake',
      job: 'list jobs',
      durations: 'show how long jobs or runs take and wait for a runner',
    },
    nouns: ['cost', 'run', 'duration', 'showback'],
    tailored: async () => ({
      ...(await import('./costs.ts')).costCommands,
      ...(await import('./run.ts')).runCommands,
    }),
  },
  {
    words: { 'hosted-runner': "list GitHub's larger runners, and read the list now" },
    tailored: async () => (await import('./price.ts')).hostedRunnerCommands,
  },
  {
    words: { 'runner-pool': 'say what your own runners cost' },
    tailored: async () => (await import('./runnerPool.ts')).runnerPoolCommands,
  },
  {
    words: { ownership: 'say which team and cost center pays for a job' },
    tailored: async () => (await import('./ownership.ts')).ownershipCommands,
  },
  {
    words: { annotation: 'list, add and delete notes in charts' },
    tailored: async () => (await import('./annotation.ts')).annotationCommands,
  },
  {
    words: { digest: 'list, preview, create and send digests' },
    tailored: async () => (await import('./digest.ts')).digestCommands,
  },
  {
    words: { 'pull-request': 'report costs in pull requests' },
    tailored: async () => (await import('./pullRequest.ts')).pullRequestCommands,
  },
  {
    words: { share: 'share views, badges and embeds by link' },
    tailored: async () => (await import('./share.ts')).shareCommands,
  },
  {
    words: { waste: 'show waste by workflow, and what to change' },
    tailored: async () => (await import('./waste.ts')).wasteCommands,
  },
  {
    words: { moves: 'show which jobs cost less on another runner, measured, and what to try' },
    nouns: ['move'],
    tailored: async () => (await import('./moves.ts')).moveCommands,
  },
  {
    words: { fix: 'print a fix as a patch, or open a pull request with it' },
    nouns: ['fix', 'workflow-file'],
    tailored: async () => (await import('./fix.ts')).fixCommands,
  },
  {
    words: { storage: 'show what GitHub stores by workflow, and read it now' },
    tailored: async () => (await import('./storage.ts')).storageCommands,
  },
  {
    words: { mcp: 'answer questions of AI assistants about costs (Model Context Protocol), read-only' },
    add: async () => (await import('./mcp.ts')).addMcpCommand,
  },
  {
    words: { price: 'show and change prices of runners' },
    nouns: ['price', 'price-list'],
    tailored: async () => (await import('./price.ts')).priceCommands,
  },
  {
    words: { reprice: 'price past jobs with the current price list and rules' },
    tailored: async () => (await import('./reprice.ts')).repriceCommands,
  },
  {
    words: { bill: 'import bill reports from GitHub and compare them with recorded costs' },
    tailored: async () => (await import('./bill.ts')).billCommands,
    add: async () => (await import('./bill.ts')).addBillImport,
  },
  {
    words: { completion: 'print a script that lets your shell complete commands, options and their values' },
    add: async () => (await import('./completion.ts')).addCompletionCommand,
  },
];

/** Verbs without a command, and why. */
const inBrowser = 'only a browser does it';
const byLogin = '`login` does it';
export const withoutCommand: Record<string, string> = {
  'token revoke-current': '`logout` does it',
  'login start': byLogin,
  'login poll': byLogin,
  'login get': inBrowser,
  'login approve': inBrowser,
  'login deny': inBrowser,
  'session get': '`whoami` shows it',
  'session sign-in': inBrowser,
  'session sign-out': inBrowser,
  'session org list': inBrowser,
  'session org enter': inBrowser,
  'sign-in-option list': inBrowser,
  'invitation show': inBrowser,
  'invitation accept': inBrowser,
  'invitation sign-in': inBrowser,
};
