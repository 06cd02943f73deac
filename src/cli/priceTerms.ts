import { Option, type Command } from 'commander';
import type { Input } from './session.ts';
import { wholeNumber, type Options, type TailoredGroup } from './verbCommand.ts';

const addIncluded = (command: Command): Command =>
  command
    .addOption(
      new Option('--plan <name>', 'GitHub plan, which includes minutes')
        .choices(['free', 'pro', 'team', 'enterprise'])
        .conflicts('minutes'),
    )
    .option('--minutes <count>', 'included minutes per month', wholeNumber(0, 1e9));

function readIncluded(input: Input, { plan, minutes }: Options): Input {
  const included = plan ? { github_plan: plan } : minutes === undefined ? null : { minutes };
  return { ...input, included_minutes: included };
}

const options = { effective_from: 'from', discount_percent: 'discount' };

export const termCommands: TailoredGroup = {
  'price terms list': {
    empty: 'No terms: nothing is included or discounted.',
  },
  'price terms set': { words: 'price terms replace', title: 'replace all terms' },
  'price terms add': {
    words: 'price terms set',
    title: 'add terms, or replace those from the same day',
    options,
    called: { included_minutes: '--plan' },
    without: ['included_minutes'],
    more: addIncluded,
    read: readIncluded,
    help: `Terms hold from their first day until the next terms of the same provider. Net cost is computed with them, also of
recorded jobs: what is left after free runners, included minutes and discounts.

Examples:
  runcost price terms set --plan team
  runcost price terms set --from 2026-07-01 --plan enterprise --discount 12.5`,
  },
  'price terms remove': {
    title: 'remove the terms from a day',
    options,
    help: 'Example:\n  runcost price terms remove --from 2026-07-01',
  },
};
