import type { Command } from 'commander';
import { withApp } from './openApp.ts';
import { printNote } from './output.ts';

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description("bring the database's tables up to date; every start does it too")
    .action(() => withApp('migrate', async () => printNote('The database is up to date.')));
}
