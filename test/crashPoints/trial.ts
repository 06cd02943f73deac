import { createStorage } from '../harness/storage.ts';
import { digestOf, type Digest } from './digest.ts';
import type { Fault } from './faultyPostgres.ts';
import { judge } from './judge.ts';
import { openProgram } from './program.ts';
import { clear, sentTo, type Receivers } from './receivers.ts';
import type { Scenario } from './scenarios.ts';

type Trial = { statements: ReadonlyMap<string, string>; digest: Digest; found: string[] };
type Prepared = { trial: (fault?: Fault) => Promise<Trial>; remove: () => Promise<void> };

/** The scenario's database, of which each trial has a copy. */
export async function prepareScenario(scenario: Scenario, receivers: Receivers): Promise<Prepared> {
  const { settings, remove } = await createStorage();
  const mail = { SMTP_URL: receivers.mailbox.url, EMAIL_FROM: 'ci@runcost.example' };
  const program = await openProgram({ ...settings, ...mail }, scenario.pollers);
  const state = await scenario.prepare(program, receivers);
  await program.close();
  return {
    remove,
    trial: async (fault) => {
      const copy = await createStorage(settings);
      clear(receivers);
      const trial = await openProgram({ ...copy.settings, ...mail }, scenario.pollers, fault);
      const found: string[] = [];
      try {
        try {
          await scenario.run(trial, state, receivers);
          found.push(...(await judge(trial, program.acknowledged, receivers)));
        } finally {
          await trial.close();
        }
        const digest = [...(await digestOf(copy.settings['DATABASE_URL']!)), ...sentTo(receivers)];
        const { repeats } = scenario;
        return { statements: trial.statements, digest: digest.filter((line) => !repeats?.test(line)), found };
      } finally {
        await copy.remove();
      }
    },
  };
}

/** The lines of one digest that the other lacks, and what the auditor found. */
export function differences({ digest: whole }: Trial, { digest: faulty, found }: Trial): string[] {
  return [
    ...whole.filter((line) => !faulty.includes(line)).map((line) => `without the fault: ${line}`),
    ...faulty.filter((line) => !whole.includes(line)).map((line) => `with it: ${line}`),
    ...found,
  ];
}
