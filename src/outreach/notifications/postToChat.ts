import type { Program } from '../../context.ts';
import type { EgressOutcome } from '../../platform/egress/egress.ts';

type ChatPost = { url: string; body: string; timeoutMilliseconds: number };

/** Posts a message to a chat's incoming webhook: its answer, or why there was none. */
export function postToChat(
  { egress }: Pick<Program, 'egress'>,
  { url, body, timeoutMilliseconds }: ChatPost,
): Promise<EgressOutcome> {
  return egress.post({
    url,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: Buffer.from(body),
    timeoutMilliseconds,
  });
}
