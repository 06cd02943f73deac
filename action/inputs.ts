import { dollarsIn, quotedAddress, serverAddressIn, tokenFault, tokenIn } from './forms.ts';

export type Inputs = {
  url: string;
  /** Empty if GitHub gave no secret. */
  token: string;
  gitHubToken: string;
  report: 'pull-request' | 'run' | 'amounts';
  /** What this job cost beside its minutes. */
  amounts: unknown[];
  failAbove: number | null;
  comment: boolean;
};

/** Names the input and says how to fix it. */
export class InputError extends Error {
  constructor(name: string, fault: string, advice: string) {
    super(`Input ${name} ${fault}. ${advice}`);
  }
}

export function readInputs(env: Record<string, string | undefined>): Inputs {
  const read = (name: string) => (env[`INPUT_${name.toUpperCase()}`] ?? '').trim();
  return {
    url: readUrl(read('url')),
    token: readToken('token', read('token')),
    gitHubToken: readToken('github-token', read('github-token')),
    report: readWord('report', read('report') || 'pull-request', ['pull-request', 'run', 'amounts']),
    amounts: readAmounts(read('amounts')),
    failAbove: readAmount(read('fail-above')),
    comment: readWord('comment', read('comment') || 'true', ['true', 'false']) === 'true',
  };
}

function readUrl(text: string): string {
  const url = serverAddressIn(text);
  if (url !== null) return url;
  const advice = 'It is the address of your Runcost server, such as https://runcost.acme.example.';
  throw new InputError('url', text === '' ? 'is missing' : quotedAddress(text), advice);
}

function readToken(name: string, text: string): string {
  const token = tokenIn(text);
  if (token !== null) return token;
  throw new InputError(name, tokenFault, 'Store the secret again, as one line.');
}

function readWord<Word extends string>(name: string, text: string, known: readonly Word[]): Word {
  const word = known.find((each) => each === text);
  if (word === undefined) throw new InputError(name, `is "${text}"`, `Write ${known.join(' or ')}.`);
  return word;
}

function readAmounts(text: string): unknown[] {
  if (text === '') return [];
  try {
    const amounts: unknown = JSON.parse(text);
    if (Array.isArray(amounts)) return amounts;
  } catch {
    // The advice below says what it must be.
  }
  const example = '[{"product": "ai_credits", "cost": 1.2, "unit": "tokens", "quantity": 40000}]';
  throw new InputError('amounts', 'is no JSON list', `Write it as ${example}.`);
}

function readAmount(text: string): number | null {
  if (text === '') return null;
  const amount = dollarsIn(text);
  if (amount !== null) return amount;
  throw new InputError(
    'fail-above',
    `is "${text}"`,
    'Write US dollars as a plain number, such as 5 or 2.50.',
  );
}
