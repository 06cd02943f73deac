import assert from 'node:assert/strict';
import { audit } from '../auditor/audit.ts';
import type { Step } from '../auditor/history.ts';
import type { Acknowledged, Opened } from './program.ts';
import type { Receivers } from './receivers.ts';

/** What the auditor finds wrong in each organization that reported runs and is still there. */
export async function judge(
  program: Opened,
  before: readonly Acknowledged[],
  { webhook }: Receivers,
): Promise<string[]> {
  program.endFault();
  const received = webhook.received.map(({ body }) => JSON.parse(body.toString()) as unknown);
  const found: string[] = [];
  for (const [authorization, history] of historiesOf([...before, ...program.acknowledged])) {
    const get = async (path: string, query = {}) => {
      const url = `${path}?${new URLSearchParams(query).toString()}`;
      const answer = await program.send({ method: 'GET', path: url, headers: { authorization } });
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    const { data: organization } = await get('/api/v1/organization');
    const ask = (path: string, query = {}) => get(path, { ...query, org_id: organization.org_id });
    for (const { view, of, ...each } of await audit(history, ask, program.now(), {
      pick: () => false,
      received,
    }))
      found.push(`auditor: ${view}, ${of} is ${String(each.found)} instead of ${String(each.expected)}`);
  }
  return found;
}

/** By the token of who sent it. GitHub sends to a source, which somebody with a token created. */
function historiesOf(acknowledged: readonly Acknowledged[]): Map<string, Step[]> {
  const senders = new Map<string, string>();
  for (const { path, headers, answer } of acknowledged)
    if (path === '/api/v1/sources')
      senders.set((answer!.body as { data: { id: string } }).data.id, headers['authorization']!);
  const senderOf = ({ path, headers }: Acknowledged) =>
    headers['authorization'] ?? senders.get(path.split('/').at(-1)!) ?? '';
  const histories = Map.groupBy(acknowledged, senderOf);
  const settled = histories.get('') ?? [];
  const judged = [...histories].filter(
    ([sender, steps]) =>
      sender !== '' &&
      steps.some(({ path }) => path === '/api/v1/runs') &&
      !steps.some(({ method, path }) => method === 'DELETE' && path.startsWith('/api/v1/organization')),
  );
  return new Map(
    judged.map(([sender, steps]) => [
      sender,
      acknowledged.filter((step) => steps.includes(step) || settled.includes(step)),
    ]),
  );
}
