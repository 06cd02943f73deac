import type { FastifyReply, FastifyRequest } from 'fastify';

export const sessionCookieName = 'runcost_session';

/** The session that the browser sends; null where it sends none. */
export function readSessionCookie({ headers }: FastifyRequest): string | null {
  for (const pair of headers.cookie?.split(';') ?? []) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === sessionCookieName && value) return value;
  }
  return null;
}

/** Scripts cannot read the cookie, and no other site's page can send it. */
export function setSessionCookie(
  reply: FastifyReply,
  publicUrl: string,
  { text, seconds }: { text: string; seconds: number },
): void {
  const parts = [
    `${sessionCookieName}=${text}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Strict',
    `Max-Age=${seconds}`,
  ];
  if (publicUrl.startsWith('https:')) parts.push('Secure');
  reply.header('set-cookie', parts.join('; '));
}

export function clearSessionCookie(reply: FastifyReply, publicUrl: string): void {
  setSessionCookie(reply, publicUrl, { text: '', seconds: 0 });
}
