import type { Command } from 'commander';
import { printNote } from '../cli/output.ts';
import { wholeNumber } from '../cli/verbCommand.ts';
import { readConfig } from '../config.ts';
import { openWhole } from '../platform/backup/moved.queries.ts';
import type { Database } from '../platform/db/database.ts';
import { distribute, distributingStatements, readDistribution } from '../platform/db/distribution.ts';
import { refuseUnmigrated } from '../platform/db/migrate.ts';
import { PublicError } from '../platform/lib/errors.ts';
import { countOf } from '../platform/lib/text.ts';

type Options = { shards: number; dryRun?: boolean };

export function addDistributeCommand(program: Command): void {
  program
    .command('distribute')
    .option('--shards <count>', 'parts that hold the organizations, 1 to 1,024', wholeNumber(1, 1_024), 8)
    .option('--dry-run', 'print the SQL statements, and change nothing')
    .addHelpText('after', help)
    .action(run);
}

const help = `
Spreads organizations over the servers of Citus, with the rows that they have. Stop the server first. Tables that are
distributed already stay as they are, so run it again after an upgrade that adds tables. Run \`runcost migrate\` first, in an empty
database and after an upgrade.

Examples:
  runcost distribute --dry-run
  runcost distribute --shards 16
`;

async function run(options: Options): Promise<void> {
  const { db, close } = await openWhole(readConfig());
  try {
    await refuseUnmigrated(db);
    await distributeRest(db, options);
  } finally {
    await close();
  }
}

async function distributeRest(db: Database, { shards, dryRun }: Options): Promise<void> {
  const distribution = await readDistribution(db);
  if (!distribution) throw noCitus();
  const { undistributed } = distribution;
  const statements = distributingStatements(undistributed, shards);
  if (dryRun) return statements.forEach((statement) => console.log(`${statement};`));
  if (undistributed.length === 0) return printNote('All tables of organizations are distributed.');
  await distribute(db, statements);
  printNote(`Distributed ${countOf(undistributed.length, 'table')}.`);
}

function noCitus(): PublicError {
  const message =
    'This database has no Citus. Install it on each server, run `create extension citus` in the database of each, and name the servers with `citus_add_node`.';
  return new PublicError('conflict', 'no_citus', message);
}
