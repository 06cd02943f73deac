import { createHash, timingSafeEqual } from 'node:crypto';
import { PublicError } from '../../../platform/lib/errors.ts';
import type { Provider } from '../provider.ts';
import { readGitLabEvent } from './readEvent.ts';

export const gitLab: Provider = {
  title: 'GitLab',
  // https://docs.gitlab.com/user/project/integrations/webhooks/#validate-payloads-by-using-a-secret-token
  authenticate: ({ header }, secret) => {
    const token = header('x-gitlab-token');
    if (!token) {
      const detail =
        'The header X-Gitlab-Token is missing: set the secret of this source as the secret token of the webhook.';
      throw new PublicError('unauthenticated', 'token_missing', detail);
    }
    if (!isSameSecret(token, secret)) {
      const detail = 'X-Gitlab-Token is not the secret of this source: the webhook has another secret token.';
      throw new PublicError('unauthenticated', 'token_invalid', detail);
    }
  },
  read: (delivery, payload, receivedAt) => {
    const header = delivery.header('x-gitlab-event');
    const { kind, event } = readGitLabEvent(header, payload, receivedAt);
    return { name: header ?? kind, ...event };
  },
};

/** In constant time: of two digests, even the length is the same. */
function isSameSecret(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return secret !== '' && timingSafeEqual(digest(given), digest(secret));
}
