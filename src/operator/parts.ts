import { parts as clientParts, type Part } from '../cli/parts.ts';

const operatorParts: readonly Part[] = [
  {
    words: {
      serve: 'start the server (the default command)',
      migrate: 'update the tables of the database; every start does this',
    },
    add: async () => (await import('./serve.ts')).addServerCommands,
  },
  {
    words: {
      backup: 'write all data to one file, while the server runs',
      restore: 'restore a backup into an empty DATA_DIR or database',
    },
    add: async () => (await import('./backup.ts')).addBackupCommands,
  },
  {
    words: { verify: 'compare rollups with runs and jobs, and indexes with tables' },
    add: async () => (await import('./verify.ts')).addVerifyCommand,
  },
  {
    words: { move: "move all data to a PostgreSQL server, or from a server to Runcost's own PostgreSQL" },
    add: async () => (await import('./move.ts')).addMoveCommand,
  },
  {
    words: { distribute: 'spread organizations over the servers of Citus' },
    add: async () => (await import('./distribute.ts')).addDistributeCommand,
  },
  {
    words: { db: 'print how other programs connect to the database, or run one that is connected' },
    add: async () => (await import('./db.ts')).addDbCommand,
  },
  {
    words: {
      audit: "read a GitHub repository's or organization's runs and print what they cost; needs no server",
    },
    add: async () => (await import('./audit.ts')).addAuditCommand,
  },
  {
    words: { demo: 'create an organization with the CI history of an invented company, to try Runcost' },
    add: async () => (await import('./demo.ts')).addDemoCommand,
  },
  // These ask a server, and do without one if none runs.
  {
    words: { org: 'create, list, change and delete organizations' },
    tailored: async () => ({
      ...(await import('../cli/tenancy.ts')).tenancyCommands,
      ...(await import('./organization.ts')).organizationCommands,
    }),
  },
  {
    words: { estimate: 'estimate what a change of workflow files costs or saves a month' },
    add: async () => {
      const { addEstimateCommand } = await import('../cli/estimate.ts');
      return (program) =>
        addEstimateCommand(program, async (question, org) =>
          (await import('./withoutServer.ts')).estimate(question, org),
        );
    },
  },
];

/** All commands, which `main.ts` runs. */
export const parts: readonly Part[] = [...operatorParts, ...clientParts];
