import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hostOf, isThisMachine } from '../egress/addresses.ts';
import type { Egress } from '../egress/egress.ts';

/** Once others reach this server, it calls its own machine only if the settings allow it. */
export function forbidLoopbackOncePublic(server: FastifyInstance, egress: Egress): void {
  let isTrial = true;
  let ownHost: string | undefined;
  server.addHook('onRequest', ({ headers }, _reply, done) => {
    const sign = isTrial ? signOfProxy(headers, ownHost) : null;
    ownHost = headers.host;
    if (sign) {
      isTrial = false;
      egress.forbidLoopback();
      server.log.warn(
        { sign },
        'A request came through a proxy or for another host: from now on, messages and webhooks reach this machine only if EGRESS_ALLOWED_CIDRS and EGRESS_ALLOW_HTTP allow it. Set PUBLIC_URL.',
      );
    }
    done();
  });
}

const proxyHeaders = /^(x-forwarded-.+|forwarded|x-real-ip|via)$/;

/** `ownHost` has already been found to be this machine. */
function signOfProxy(headers: IncomingHttpHeaders, ownHost: string | undefined): string | null {
  if (headers.host && headers.host !== ownHost) {
    const host = URL.parse(`http://${headers.host}`);
    if (!(host && isThisMachine(hostOf(host)))) return 'host';
  }
  return Object.keys(headers).find((name) => proxyHeaders.test(name)) ?? null;
}

/** Whether the request comes from a browser on this machine, without a proxy in between. */
export function isFromHere({ headers, socket }: FastifyRequest): boolean {
  return signOfProxy(headers, undefined) === null && isThisMachine(socket.remoteAddress ?? '');
}
