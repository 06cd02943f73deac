export type Inputs = {
  url: string;
  /** Empty where GitHub gave no secret. */
  token: string;
  gitHubToken: string;
  report: 'pull-request' | 'run';
  failAbove: number | null;
  comment: boolean;
};

/** Names the input, and how to fix it. */
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
    report: readWord('report', read('report') || 'pull-request', ['pull-request', 'run']),
    failAbove: readAmount(read('fail-above')),
    comment: readWord('comment', read('comment') || 'true', ['true', 'false']) === 'true',
  };
}

function readUrl(text: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) return text.replace(/\/+$/, '');
  const advice = 'It is the address of your Runcost server, such as https://runcost.acme.example.';
  throw new InputError('url', text === '' ? 'is missing' : `is "${text}"`, advice);
}

/** The runner hides a secret as a whole, so an error must not quote a part of it. */
function readToken(name: string, text: string): string {
  if (/^[\x21-\x7e]*$/.test(text)) return text;
  const fault = 'has a space, a line break or another character that no token has';
  throw new InputError(name, fault, 'Store the secret again, as one line.');
}

function readWord<Word extends string>(name: string, text: string, known: readonly Word[]): Word {
  const word = known.find((each) => each === text);
  if (word === undefined) throw new InputError(name, `is "${text}"`, `Write ${known.join(' or ')}.`);
  return word;
}

function readAmount(text: string): number | null {
  if (text === '') return null;
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text);
  throw new InputError(
    'fail-above',
    `is "${text}"`,
    'Write US dollars as a plain number, such as 5 or 2.50.',
  );
}

/** What a failed `fetch` hides in its cause. */
export function faultOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message;
}
