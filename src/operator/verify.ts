import type { Command } from 'commander';
import { withProgress } from '../cli/follow.ts';
import { formatCount, printJson, printNote, printTable } from '../cli/output.ts';
import { readConfig } from '../config.ts';
import { verifyWaste } from '../insight/waste/verifyWaste.ts';
import { providers as knownProviders } from '../intake/providers/providers.ts';
import { createProviders } from '../ledger/pricing/provider.ts';
import { verifyReports } from '../ledger/runs/verifyReports.ts';
import { verifyRollups } from '../ledger/runs/verifyRollups.ts';
import { checkForeignKeys, checkIndexes } from '../platform/backup/integrity.queries.ts';
import { openWhole } from '../platform/backup/moved.queries.ts';
import { inReading } from '../platform/backup/rows.queries.ts';
import type { Database } from '../platform/db/database.ts';
import { refuseUnmigrated } from '../platform/db/migrate.ts';
import { listOrganizations } from '../tenancy/organizations/organizations.ts';

export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .option('--from-reports', 'also merge the stored reports of each run again, which takes longer')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', help)
    .action(verify);
}

const help = `
Changes nothing, and works beside a running server. Exits with 1 if anything differs. To repair damaged
indexes, use \`reindex\`, or \`backup\` and \`restore\`.

Examples:
  runcost verify
  runcost verify --from-reports
`;

type Check = { check: string; checked: number; faults: string[]; skipped: number };

type Options = { fromReports?: boolean; json?: boolean };

async function verify({ fromReports = false, json }: Options): Promise<void> {
  const database = await openWhole(readConfig());
  try {
    const checks = await runChecks(database.db, fromReports);
    const faults = checks.reduce((sum, check) => sum + check.faults.length, 0);
    if (faults > 0) process.exitCode = 1;
    if (json) return printJson({ ok: faults === 0, checks });
    print(checks);
  } finally {
    await database.close();
  }
}

const maxPrinted = 20;

function print(checks: Check[]): void {
  printTable(
    ['CHECK', 'CHECKED', 'RESULT'],
    checks.map(({ check, checked, faults, skipped }) => [
      check,
      formatCount(checked),
      resultOf({ checked, faults, skipped }),
    ]),
  );
  if (checks.some(({ check, skipped }) => check.startsWith(ofIndexes) && skipped > 0)) printNote(amcheckNote);
  const faults = checks.flatMap(({ check, faults: found }) => found.map((fault) => `${check}: ${fault}`));
  for (const fault of faults.slice(0, maxPrinted)) console.log(fault);
  if (faults.length > maxPrinted) printNote(`${formatCount(faults.length - maxPrinted)} more: --json`);
}

function resultOf({ checked, faults, skipped }: Omit<Check, 'check'>): string {
  const unchecked = `${formatCount(skipped)} could not be checked`;
  if (faults.length === 0 && skipped === checked) return unchecked;
  const result = faults.length === 0 ? 'ok' : `${formatCount(faults.length)} wrong`;
  return skipped > 0 ? `${result}, ${unchecked}` : result;
}

const ofIndexes = 'indexes of ';
const amcheckNote = 'To check these indexes, run `create extension amcheck` in the database, and this again.';

async function runChecks(db: Database, fromReports: boolean): Promise<Check[]> {
  await refuseUnmigrated(db);
  const checks = new Map<string, Check>();
  const note = (check: string, fault: string | null | undefined): void => {
    const entry = checks.get(check) ?? { check, checked: 0, faults: [], skipped: 0 };
    checks.set(check, entry);
    entry.checked += 1;
    if (fault === undefined) entry.skipped += 1;
    else if (fault !== null) entry.faults.push(fault);
  };
  await checkIndexes(db, ({ table, fault }) => note(`${ofIndexes}${table}`, fault));
  await inReading(db, async (tx) => {
    await checkForeignKeys(tx, ({ table, fault }) => note(`references of ${table}`, fault));
    const providers = createProviders(knownProviders);
    await withProgress({ total: null, unit: 'days' }, async (report) => {
      let days = 0;
      for (const { orgId } of await listOrganizations({ db: tx })) {
        const verified = await verifyRollups(tx, orgId, {
          providers,
          report: (count) => report(days + count),
        });
        const waste = await verifyWaste(tx, { orgId, providers });
        days += verified.days;
        for (let day = 0; day < verified.days; day++)
          note('days of rollups', day < verified.removedDays ? undefined : null);
        for (let unit = 0; unit < waste.units + waste.outdated; unit++)
          note('sums of waste', unit < waste.outdated ? undefined : null);
        for (const { table, day, of, measure, stored, summed } of [
          ...verified.differences,
          ...waste.differences,
        ]) {
          const place = `organization ${orgId}, ${day}${of && ` ${of}`}`;
          note(`rollup ${table}`, `${place}: ${measure} is ${stored}, its rows have ${summed}`);
        }
        if (fromReports)
          await verifyReports(tx, orgId, (of, faults) => {
            for (const fault of faults.length > 0 ? faults : [null])
              note(`reports of ${of}`, fault && `organization ${orgId}, ${fault}`);
          });
        const without = verified.jobsWithoutRun;
        if (without > 0n)
          note(
            'jobs',
            `organization ${orgId}: ${without} ${without === 1n ? 'job has' : 'jobs have'} no run`,
          );
      }
    });
  });
  return [...checks.values()];
}
