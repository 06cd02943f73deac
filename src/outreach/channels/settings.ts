import type { Egress } from '../../platform/egress/egress.ts';
import type { Vault } from '../../platform/lib/encryption.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { isEmail, isStorable, nearestOf } from '../../platform/lib/text.ts';
import type { ChannelKind, Field, Values } from './kind.ts';
import type { ChannelRow } from './queries.ts';

export type Stored = Pick<ChannelRow, 'settings' | 'secrets'>;

type Reading = { egress: Pick<Egress, 'faultOf'>; vault: Pick<Vault, 'seal' | 'open'> };

export const maxTextLength = 2048;
const maxEmails = 50;

/** A field that is left out, or has the shown form of its secret, keeps its value. */
export function readSettings(
  { egress, vault }: Reading,
  kind: ChannelKind,
  { given, before, at = 'settings.' }: { given: Values; before?: Stored | undefined; at?: string },
): { stored: Stored; hasOtherSecret: boolean } {
  const names = Object.keys(kind.fields);
  const strange = Object.keys(given).find((name) => !names.includes(name));
  if (strange !== undefined) {
    const nearest = nearestOf(strange, names);
    const fix = nearest ? `did you mean ${nearest}?` : `its fields are ${names.join(', ')}`;
    throw invalid(`${at}${strange}`, `is not a field of ${kind.title}; ${fix}`);
  }
  const settings: Values = {};
  const secrets: Record<string, string> = {};
  let hasOtherSecret = false;
  for (const [name, field] of Object.entries(kind.fields)) {
    const old = before?.settings[name];
    const value = given[name];
    const isKept = value === undefined || (field.isSecret === true && old !== undefined && value === old);
    if (isKept) {
      if (old !== undefined) settings[name] = old;
      else if (!field.isOptional) throw invalid(`${at}${name}`, 'is required');
      if (before?.secrets[name] !== undefined) secrets[name] = before.secrets[name];
      continue;
    }
    if (value === '' && field.isOptional) continue;
    const read = readField(field, value, `${at}${name}`, egress);
    settings[name] = field.isSecret ? shownPart(field, read as string) : read;
    if (!field.isSecret) continue;
    const sealed = before?.secrets[name];
    const isSame = sealed !== undefined && openSecret(vault, sealed) === read;
    if (sealed !== undefined && !isSame) hasOtherSecret = true;
    secrets[name] = isSame ? sealed : vault.seal(read as string).toString('hex');
  }
  return { stored: { settings, secrets }, hasOtherSecret };
}

/** The values of all fields, with secrets. They must not leave the program but to the receiver. */
export function openSettings(vault: Pick<Vault, 'open'>, { settings, secrets }: Stored): Values {
  const opened = Object.entries(secrets).map(([name, sealed]) => [name, openSecret(vault, sealed)]);
  return { ...settings, ...Object.fromEntries(opened) };
}

function openSecret(vault: Pick<Vault, 'open'>, sealed: string): string {
  return vault.open(Buffer.from(sealed, 'hex'));
}

function readField(
  field: Field,
  value: Values[string],
  path: string,
  egress: Reading['egress'],
): string | string[] {
  if (field.type === 'emails') return readEmails(value, path);
  if (typeof value !== 'string') throw invalid(path, 'must be a text');
  if (value.length > maxTextLength) throw invalid(path, `must have at most ${maxTextLength} characters`);
  if (field.type === 'url') {
    const fault = egress.faultOf(value);
    if (fault) throw invalid(path, fault);
    return new URL(value).href;
  }
  if (field.choices && !Object.hasOwn(field.choices, value)) {
    throw invalid(path, `must be one of ${Object.keys(field.choices).join(', ')}`);
  }
  const text = value.trim();
  if (text === '' || !isStorable(text)) throw invalid(path, 'must not be blank');
  if (field.format && !new RegExp(field.format.pattern, 'v').test(text)) {
    throw invalid(path, `must ${field.format.text}`);
  }
  return text;
}

function readEmails(value: Values[string], path: string): string[] {
  const list = typeof value === 'string' ? value.split(/[\s,;]+/).filter(Boolean) : value;
  for (const [index, email] of list.entries()) {
    if (!isEmail(email)) throw invalid(`${path}[${index}]`, 'must be an email address');
  }
  const distinct = [...new Map(list.map((email) => [email.toLowerCase(), email])).values()];
  if (distinct.length === 0) throw invalid(path, 'must have an address');
  if (distinct.length > maxEmails) throw invalid(path, `must have at most ${maxEmails} addresses`);
  return distinct;
}

/** The host of an address, and the last four characters of another secret. */
function shownPart({ type }: Field, secret: string): string {
  return type === 'url' ? `${new URL(secret).host}/…` : `…${secret.slice(-4)}`;
}
