import { InvalidArgumentError } from 'commander';
import { pino } from 'pino';
import { type App, createApp } from '../app.ts';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { isDatabaseAway } from '../platform/db/outages.ts';
import { cliActor } from '../platform/lib/actor.ts';
import { commandLine } from '../platform/lib/commandLine.ts';
import { invalid, InvalidFields, PublicError } from '../platform/lib/errors.ts';
import { isUuid } from '../platform/lib/ids.ts';
import { faultOfName } from '../platform/lib/text.ts';
import { isDemo, listOrganizations } from '../tenancy/organizations/organizations.ts';
import { formatCount } from './output.ts';

/**
 * Works beside a running server. `logged` commands log to standard error. Only commands for the first start `mayCreate`
 * a database, because others would create one in a mistyped folder.
 */
export async function withApp(
  work: (app: App) => Promise<void>,
  { logged = false, mayCreate = false }: { logged?: boolean; mayCreate?: boolean } = {},
): Promise<void> {
  const options = {
    mayCreate,
    ...(logged ? {} : { log: pino({ level: 'silent' }) }),
  };
  const app = await createApp(readConfig(), options);
  try {
    await work(app);
  } catch (error) {
    if (!isServerAway(error)) throw error;
    const message = 'The database has stopped. Run the command again when it is back.';
    throw new PublicError('unavailable', 'database_away', message);
  } finally {
    await app.close();
  }
}

export function isServerAway(error: unknown): boolean {
  return isDatabaseAway(error) || isDatabaseAway((error as Error).cause);
}

export type CommonOptions = { org?: string; json?: boolean };
export type ListOptions = CommonOptions & { limit: number };

export const orgOption = ['--org <id>', 'organization; optional while there is only one'] as const;

export async function contextFor(app: App, option: string | undefined): Promise<Context> {
  const orgId = option ?? app.config.client.org ?? undefined;
  const organizations = await listOrganizations(app);
  if (orgId === undefined) {
    const own = organizations.filter((organization) => !isDemo(organization));
    const [only, ...others] = own.length > 0 ? own : organizations;
    if (only && others.length === 0) return { ...app, actor: cliActor(only.orgId) };
    if (only)
      throw invalid('--org', 'is required, or RUNCOST_ORG: there are several organizations (see org list)');
    const create = `${commandLine(app.config)} org create --name NAME`;
    const message =
      'There is no organization yet. A server creates one when it starts: if one is starting, run this again when it has ' +
      `printed its address. Without a server: ${create}`;
    throw new PublicError('not_found', 'no_organization', message);
  }
  if (!isUuid(orgId)) throw invalid(option ? '--org' : 'RUNCOST_ORG', 'must be a UUID (see org list)');
  if (!organizations.some((organization) => organization.orgId === orgId.toLowerCase())) {
    throw new PublicError(
      'not_found',
      'organization_not_found',
      `There is no organization ${orgId} (see org list).`,
    );
  }
  return { ...app, actor: cliActor(orgId.toLowerCase()) };
}

export async function namingOptions<T>(
  work: () => Promise<T>,
  options: Record<string, string> = {},
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    const { message, errors } = error instanceof InvalidFields ? error.named(optionOf(options)) : error;
    // A single word could be any other word of the text.
    const named = Object.entries(options)
      .filter(([words]) => /[^a-z]/.test(words))
      .reduce((text, [words, option]) => text.replaceAll(words, option), message);
    throw new PublicError(error.kind, error.code, named.replaceAll('`to`', '--to'), errors);
  }
}

/** The option of a field, or of what it is a part of. What is not a field, such as `--org`, stays. */
function optionOf(options: Record<string, string>) {
  return (field: string) => {
    const isPartOf = (name: string) => field.startsWith(name) && !/^\w/.test(field.slice(name.length));
    const known = Object.keys(options).find(isPartOf);
    if (known !== undefined) return options[known]! + field.slice(known.length);
    return /^[a-z]/.test(field) ? `--${field.replaceAll('_', '-')}` : field;
  };
}

const maxLength = 255;

export function readName(text: string): string {
  const fault = faultOfName(text);
  if (fault) throw new InvalidArgumentError(`It ${fault}.`);
  if (Array.from(text).length > maxLength)
    throw new InvalidArgumentError(`It must have at most ${maxLength} characters.`);
  return text;
}

export function collect(text: string, before: readonly string[]): string[] {
  return [...before, text];
}

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${formatCount(most)}.`);
  };
}

export function readDay(option: string, text: string): string {
  const isDay = /^(19|2\d)\d\d-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
  if (isDay && new Date(text).toISOString().startsWith(text)) return text;
  throw invalid(option, 'must be a day such as 2026-01-31');
}

export const maxListed = 1_000;

export function limitOption(things: string) {
  const text = `${things} to show, 1 to ${formatCount(maxListed)}, latest first`;
  return ['--limit <count>', text, wholeNumber(1, maxListed), 50] as const;
}
