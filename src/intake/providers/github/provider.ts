import { invalid, PublicError } from '../../../platform/lib/errors.ts';
import type { Provider } from '../provider.ts';
import { readGitHubEvent } from './readEvent.ts';
import { verifyGitHubSignature } from './signature.ts';

export const gitHub: Provider = {
  title: 'GitHub',
  authenticate: ({ rawBody, header }, secret) => {
    const signature = header('x-hub-signature-256');
    if (!signature) {
      const detail =
        'The header X-Hub-Signature-256 is missing: set the secret of this source in the webhook.';
      throw new PublicError('unauthenticated', 'signature_missing', detail);
    }
    if (!verifyGitHubSignature(rawBody, signature, secret)) {
      const detail =
        'X-Hub-Signature-256 does not fit the body: the webhook has another secret than this source.';
      throw new PublicError('unauthenticated', 'signature_invalid', detail);
    }
  },
  read: ({ header }, payload, receivedAt) => {
    const name = header('x-github-event');
    if (!name) throw invalid('headers.x-github-event', 'is required');
    return { name, ...readGitHubEvent(name, payload, receivedAt) };
  },
};
