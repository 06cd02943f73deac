/** The names that `runcost/client` gives the verbs, as a module. */
import { providers } from '../src/intake/providers/providers.ts';
import { createProviders } from '../src/ledger/pricing/provider.ts';
import { verbsOf } from '../src/verbs.ts';
import { listOf } from './operations.ts';

type Declared = ReturnType<typeof verbsOf>[number];
type Tree = Map<string, Tree | Declared>;

const verbs = verbsOf(createProviders(providers));

/** `webhook delivery resend` is `webhooks.deliveries.resend`. */
export function clientVerbsText(): string {
  const tree: Tree = new Map();
  for (const verb of verbs) {
    const words = verb.name.split(' ');
    const last = words.pop()!;
    const nouns = words.map((_, index) => nameOf(words.slice(0, index + 1)));
    let place = tree;
    for (const noun of nouns) {
      if (!place.has(noun)) place.set(noun, new Map());
      place = place.get(noun) as Tree;
    }
    place.set(camelCase(last), verb);
  }
  return `// Written by \`npm run api-types\` from all verbs.
/* oxlint-disable max-lines */

/**
 * The request of each verb of the client, and where an answer in pages has its rows. Requests with \`?org_id\` need the
 * organization's id.
 */
export const clientVerbs = ${textOf(tree, '')} as const;
`;
}

/** A noun whose plural the program would get wrong. */
const irregular: Record<string, string> = { org: 'organizations', 'pull-request': 'pullRequests' };

/** A noun is plural if it can be listed, or its path has it so: `organization` is one, `costs` are many. */
function nameOf(nouns: readonly string[]): string {
  const noun = nouns.at(-1)!;
  const plural = pluralOf(noun);
  const phrase = `${nouns.join(' ')} `;
  const isPlural = verbs.some(
    ({ name, at }) => name.startsWith(phrase) && (name === `${phrase}list` || at.split('/').includes(plural)),
  );
  return irregular[noun] ?? camelCase(isPlural ? plural : noun);
}

function pluralOf(noun: string): string {
  if (noun.endsWith('s')) return noun;
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return noun.endsWith('x') ? `${noun}es` : `${noun}s`;
}

function camelCase(words: string): string {
  return words.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function textOf(tree: Tree, indent: string): string {
  const lines = [...tree].map(([name, each]) =>
    each instanceof Map
      ? `${indent}  ${name}: ${textOf(each, `${indent}  `)},\n`
      : `${indent}  /** ${each.title}. */\n${indent}  ${name}: '${requestOf(each)}',\n`,
  );
  return `{\n${lines.join('')}${indent}}`;
}

function requestOf(verb: Declared): string {
  const path = verb.at.replace(' ', ' /api/v1').replaceAll(/:(\w+)/g, '{$1}');
  const needsOrganization = (verb.query as { required?: string[] } | undefined)?.required?.includes('org_id');
  const list = listOf(verb);
  return `${path}${needsOrganization ? '?org_id' : ''}${list?.paging ? ` ${list.rows}` : ''}`;
}
