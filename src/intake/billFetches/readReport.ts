import type { EgressOutcome } from '../../platform/egress/egress.ts';
import { monthInWords, type Day } from '../../platform/lib/days.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { obstacleOf } from '../backfills/backfill.ts';
import { windowWithin } from './months.ts';
import type { Read, Step } from './step.ts';

const secondsBetweenLooks = 20;
const maxLooks = 180;
const reportId = /^[\w-]{1,100}$/;

type Report = { id?: unknown; status?: unknown; download_urls?: unknown };

/** A month of an enterprise: GitHub makes a report, and sends it as CSV files when it is ready. */
export async function readReport({ program, client, account, task, month, signal }: Step): Promise<Read> {
  const { report } = task.state;
  const { start, end } = windowWithin(month, task.input.until);
  signal.throwIfAborted();
  const answer = await (report
    ? client.billing('GET', account, `/reports/${report.id}`, { signal })
    : client.billing('POST', account, '/reports', {
        parameters: { report_type: 'summarized', start_date: start, end_date: end, send_email: false },
        signal,
      }));
  if (answer.kind !== 'data') return { kind: 'obstacle', obstacle: obstacleOf(answer) };
  const { id, status, download_urls: urls } = (answer.data ?? {}) as Report;
  if (typeof id !== 'string' || !reportId.test(id))
    return unreadable('GitHub answered something other than a report');
  const name = `the bill of ${account.login}, ${monthInWords(month)}`;
  if (status === 'failed')
    throw new PublicError(
      'unavailable',
      'report_failed',
      `GitHub could not make ${name}. Fetch it again later.`,
    );
  if (status !== 'completed') {
    const looks = (report?.looks ?? 0) + 1;
    if (looks > maxLooks)
      throw new PublicError(
        'unavailable',
        'report_late',
        `GitHub has not made ${name} within an hour. Fetch it again later.`,
      );
    return { kind: 'later', report: { id, looks }, seconds: secondsBetweenLooks };
  }
  if (!Array.isArray(urls) || !urls.every((url) => typeof url === 'string'))
    return unreadable('GitHub answered a report without files');
  return download({ program, signal }, urls);
}

function unreadable(message: string): Read {
  return { kind: 'obstacle', obstacle: { kind: 'unreachable', message } };
}

/** Files of one report have the same heading. */
async function download(
  { program, signal }: Pick<Step, 'program' | 'signal'>,
  urls: string[],
): Promise<Read> {
  let heading = '';
  let body = '';
  for (const url of urls) {
    const text = await fileAt(program, url, signal);
    if (typeof text !== 'string') return text;
    const [, first = '', rest = ''] = /^\uFEFF?([^\n]*)\n?([^]*)$/.exec(text) ?? [];
    if (heading !== '' && first.trim() !== heading)
      return unreadable('GitHub answered files that do not fit together');
    heading = first.trim();
    body += rest === '' || rest.endsWith('\n') ? rest : `${rest}\n`;
  }
  if (body.trim() === '') return { kind: 'month', csv: null, lastDay: null };
  return { kind: 'month', csv: `${heading}\n${body}`, lastDay: lastDayIn(body) };
}

/** Of dates such as 2026-03-17; files with others have no known last day. */
function lastDayIn(body: string): Day | null {
  return (
    [...body.matchAll(/^"?(\d{4}-\d\d-\d\d)/gm)]
      .map(([, day]) => day!)
      .toSorted()
      .at(-1) ?? null
  );
}

const maxBytes = 128 * 1024 * 1024;
const maxRedirects = 3;

/** The address is signed: it gets no credentials, and no message contains it. */
async function fileAt(
  { egress }: Step['program'],
  address: string,
  signal: AbortSignal,
): Promise<string | Read> {
  let url = address;
  for (let redirects = 0; ; redirects++) {
    const headers = { accept: 'text/csv', 'user-agent': 'runcost' };
    const outcome = await egress.get({ url, headers, timeoutMilliseconds: 60_000, maxBytes, signal });
    if (outcome.kind === 'failure') return unreadable(`the file of the report: ${outcome.message}`);
    const next = redirectOf(outcome, url);
    if (next !== null && redirects < maxRedirects) url = next;
    else return textOf(outcome);
  }
}

type Answered = Extract<EgressOutcome, { kind: 'answer' }>;

function redirectOf({ statusCode, headers }: Answered, url: string): string | null {
  if (![301, 302, 303, 307, 308].includes(statusCode)) return null;
  return URL.parse(headers.location ?? '', url)?.href ?? null;
}

function textOf({ statusCode, body, truncated, note }: Answered): string | Read {
  if (statusCode !== 200) return unreadable(`the file of the report was answered with ${statusCode}`);
  if (truncated) throw new PublicError('unavailable', 'too_large', 'The report of a month is over 128 MiB.');
  return note === null ? body.toString('utf8') : unreadable(`the file of the report: ${note}`);
}
