import { Option, type Command } from 'commander';
import { CommandError } from './faults.ts';
import type { Answer, Input, Session } from './session.ts';
import { wholeNumber, type Options, type Tailored, type TailoredGroup } from './verbCommand.ts';

const beginning = '1970-01-01';

const addPlace = (command: Command): Command =>
  command
    .option('--provider <id>', 'provider', 'github')
    .option('--from <day>', 'first UTC day; all of history by default', beginning);

const addTerms = (command: Command): Command =>
  addPlace(command)
    .addOption(
      new Option('--plan <name>', 'GitHub plan, which includes minutes')
        .choices(['free', 'pro', 'team', 'enterprise'])
        .conflicts('minutes'),
    )
    .option('--minutes <count>', 'included minutes per month', wholeNumber(0, 1e9))
    .option('--discount <percent>', 'discount on what is left, 0 to 100', Number, 0);

type Place = { provider: string; effective_from: string };

const placeOf = ({ provider, from }: Options) => ({ provider, effective_from: from }) as Place;

/** All stored terms, without those from the day and of the provider. */
async function othersThan(session: Session, place: Place): Promise<{ others: Answer[]; isStored: boolean }> {
  const stored: Answer[] = await session.call('price terms list');
  const others = stored.filter(
    (each) => each.provider !== place.provider || each.effective_from !== place.effective_from,
  );
  return { others, isStored: others.length < stored.length };
}

async function set(session: Session, _input: Input, options: Options): Promise<Answer> {
  const { plan, minutes, discount } = options;
  const { others } = await othersThan(session, placeOf(options));
  const terms = {
    ...placeOf(options),
    included_minutes: plan ? { github_plan: plan } : minutes === undefined ? null : { minutes },
    discount_percent: discount,
  };
  // First, so that faults name the options.
  return session.call('price terms set', { terms: [terms, ...others] });
}

async function remove(session: Session, _input: Input, options: Options): Promise<Answer> {
  const { provider, effective_from: from } = placeOf(options);
  const { others, isStored } = await othersThan(session, { provider, effective_from: from });
  if (isStored) return session.call('price terms set', { terms: others });
  const message = `There are no terms of ${provider} from ${from}; \`price terms list\` shows all.`;
  throw new CommandError(message, 'not_found');
}

const all: Tailored = {
  without: ['terms'],
  called: {
    'terms[0].provider': '--provider',
    'terms[0].effective_from': '--from',
    'terms[0].included_minutes': '--plan',
    'terms[0].discount_percent': '--discount',
  },
};

export const termCommands: TailoredGroup = {
  'price terms list': {
    empty: 'No terms: nothing is included or discounted.',
    page: '/settings/pricing?tab=included',
  },
  'price terms set': {
    ...all,
    title: 'add terms, or replace those from the same day',
    more: addTerms,
    run: set,
    help: `Terms hold from their first day until the next terms of the same provider. Net cost is computed with them, also of
recorded jobs: what is left after free runners, included minutes and discounts.

Examples:
  runcost price terms set --plan team
  runcost price terms set --from 2026-07-01 --plan enterprise --discount 12.5`,
  },
  'price terms remove': {
    ...all,
    verb: 'price terms set',
    title: 'remove the terms from a day',
    more: addPlace,
    run: remove,
  },
};
