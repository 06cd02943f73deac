import { type Command, Option } from 'commander';
import { beginning } from '../ledger/pricing/priceBook.ts';
import {
  includedByPlan,
  listTerms,
  setTerms,
  termsView,
  type BillingTerms,
  type GitHubPlan,
  type TermsInput,
} from '../ledger/pricing/terms.ts';
import { PublicError } from '../platform/lib/errors.ts';
import {
  type CommonOptions,
  contextFor,
  namingOptions,
  orgOption,
  readDay,
  wholeNumber,
  withApp,
} from './command.ts';
import { formatCount, printJson, printNote, printTable } from './output.ts';

type Place = CommonOptions & { provider: string; from?: string };
type SetOptions = Place & { plan?: GitHubPlan; minutes?: number; discount?: string };

const help = `
Terms hold from their first day until the next terms of the same provider. Net cost is computed with them, also of
recorded jobs: what is left after free runners, included minutes and discounts.

Examples:
  runcost price terms set --plan team
  runcost price terms set --from 2026-07-01 --plan enterprise --discount 12.5
  runcost price terms remove --from 2026-07-01
`;

export function addTerms(price: Command): void {
  const terms = price
    .command('terms')
    .description('set what providers take off their list prices, for net cost')
    .addHelpText('after', help);
  terms
    .command('list')
    .description('list the billing terms')
    .option(...orgOption)
    .option('--json', 'print the data of GET /api/v1/pricing/terms')
    .action((options: CommonOptions) =>
      withApp(async (app) => showTerms(await listTerms(await contextFor(app, options.org)), options)),
    );
  addPlace(terms.command('set'))
    .description('add terms, or replace those from the same day')
    .addOption(
      new Option('--plan <name>', 'GitHub plan, which includes minutes')
        .choices(Object.keys(includedByPlan))
        .conflicts('minutes'),
    )
    .option('--minutes <count>', 'included minutes per month', wholeNumber(0, 1e9))
    .option('--discount <percent>', 'discount on what is left, 0 to 100')
    .action(({ plan, minutes, discount, ...options }: SetOptions) =>
      change(options, (others) => [
        // Read first, so that an error names the option.
        {
          ...placeOf(options),
          included_minutes: plan ? { github_plan: plan } : minutes === undefined ? null : { minutes },
          discount_percent: discount === undefined ? 0 : Number(discount),
        },
        ...others,
      ]),
    );
  addPlace(terms.command('remove'))
    .description('remove the terms from a day')
    .action((options: Place) =>
      change(options, (others, isKnown) => {
        if (isKnown) return others;
        const { provider, effective_from } = placeOf(options);
        const message = `There are no terms of ${provider} from ${effective_from}; \`price terms list\` shows all.`;
        throw new PublicError('not_found', 'terms_not_found', message);
      }),
    );
}

function addPlace(command: Command): Command {
  return command
    .option('--provider <id>', 'provider', 'github')
    .option('--from <day>', 'first UTC day; all of history by default')
    .option(...orgOption)
    .option('--json', 'print all terms as JSON');
}

function placeOf({ provider, from = beginning }: Place) {
  return { provider, effective_from: from };
}

function change(
  options: Place,
  changed: (others: TermsInput[], isKnown: boolean) => TermsInput[],
): Promise<void> {
  return withApp(async (app) => {
    const ctx = await contextFor(app, options.org);
    const place = placeOf({ ...options, ...(options.from && { from: readDay('--from', options.from) }) });
    const set = () =>
      setTerms(ctx, (stored) => {
        const before = stored.map(termsView);
        const others = before.filter(
          ({ provider, effective_from }) =>
            provider !== place.provider || effective_from !== place.effective_from,
        );
        return changed(others, others.length < before.length);
      });
    const terms = await namingOptions(set, {
      'terms[0].provider': '--provider',
      'terms[0].included_minutes': '--plan',
      'terms[0].discount_percent': '--discount',
    });
    showTerms(terms, options);
  });
}

function showTerms(terms: readonly BillingTerms[], { json }: Pick<CommonOptions, 'json'>): void {
  if (json) return printJson(terms.map(termsView));
  if (terms.length === 0) return printNote('No terms: nothing is included or discounted.');
  printTable(
    ['PROVIDER', 'FROM', 'PLAN', 'MINUTES PER MONTH', 'DISCOUNT'],
    terms.map(({ provider, effectiveFrom, included, discount }) => [
      provider,
      effectiveFrom === beginning ? 'always' : effectiveFrom,
      included?.githubPlan ?? '',
      included ? formatCount(included.minutes) : '',
      `${discount / 100}%`,
    ]),
  );
}
