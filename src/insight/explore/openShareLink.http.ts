import type { FastifyRequest } from 'fastify';
import type { Program } from '../../context.ts';
import { networkOf } from '../../platform/http/requests.ts';
import { limitFailures } from '../../platform/lib/limitFailures.ts';
import { createShareLinkVerifier, type OpenedShareLink } from '../../tenancy/shareLinks/shareLinks.ts';
import { readSecret } from '../../tenancy/tokens/tokens.ts';

const maxFailures = 20;

type Asked = { text: string; kinds: Parameters<ReturnType<typeof createShareLinkVerifier>>[1] };

export function createShareLinkOpener(program: Pick<Program, 'db' | 'clock'>) {
  const verify = createShareLinkVerifier(program);
  const attempt = limitFailures(program.clock, maxFailures);
  return async (request: FastifyRequest, { text, kinds }: Asked): Promise<OpenedShareLink> => {
    const parts = readSecret('share', text);
    const credential = parts && `${parts.orgId} ${parts.id}`;
    const link = await attempt({ address: networkOf(request), credential }, () => verify(text, kinds));
    // The rate limiter counts requests by actor and plan.
    request.actor = link.actor;
    request.plan = link.plan;
    return link;
  };
}
