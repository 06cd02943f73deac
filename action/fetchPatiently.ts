/** A CI job pays for its waiting, so it only waits for a short time. */
const longestWaitSeconds = 90;
const maxWaits = 2;

/** The server answered, so advice about reaching it would not help. */
export class TooLongWait extends Error {}

/** A `fetch` that waits as long as the answer asks (`Retry-After`). */
export async function fetchPatiently(url: string, request: RequestInit): Promise<Response> {
  for (let waits = 0; ; waits++) {
    const answer = await fetch(url, { ...request, signal: AbortSignal.timeout(60_000) });
    const seconds = secondsIn(answer);
    if (seconds === null) return answer;
    const { host } = new URL(url);
    if (seconds > longestWaitSeconds || waits === maxWaits)
      throw new TooLongWait(
        `${host} answers ${answer.status} and asks to wait ${seconds} seconds. Run the job again later.`,
      );
    await answer.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, 1_000 * seconds));
  }
}

/** Null if the answer does not ask to wait. */
function secondsIn({ status, headers }: Response): number | null {
  const text = headers.get('retry-after') ?? '';
  if (![403, 429, 503].includes(status)) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const until = Date.parse(text);
  return Number.isNaN(until) ? null : Math.max(0, Math.ceil((until - Date.now()) / 1_000));
}

/** The cause of a failed `fetch`, which its message hides. */
export function faultOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message;
}

/** More than a page of GitHub's longest comments. */
const maxBytes = 32 * 1024 * 1024;

/** Reads the text of an answer, up to 32 MiB. A proxy or a sign-in page answers with HTML, even with status 200. */
export async function textOf(answer: Response): Promise<string> {
  const { host } = new URL(answer.url);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of answer.body ?? []) {
      size += chunk.length;
      if (size > maxBytes) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new Error(`${host} sends an incomplete answer (${faultOf(error)}). Run the job again later.`, {
      cause: error,
    });
  }
  if (answer.ok && answer.headers.get('content-type')?.startsWith('text/html'))
    throw new Error(
      `${host} answers with a web page in place of data. Is it the right address, and may this job reach it without signing in?`,
    );
  if (size > maxBytes) throw new Error(`${host} answers with more than ${maxBytes / 1024 / 1024} MiB.`);
  return Buffer.concat(chunks).toString();
}

export function jsonOf(text: string, host: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${host} answers with something other than JSON. Is it the right address?`);
  }
}
