import { Type } from 'typebox';
import { idParams } from '../../platform/http/schemas.ts';
import { deletes, type VerbContext, verbsWith } from '../../platform/http/verbs.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import {
  createDigest,
  deleteDigest,
  type Digest,
  type DigestContext,
  listDigests,
  updateDigest,
  warningsOf,
} from './digests.ts';
import { figuresView } from './message.ts';
import { sendMonthClose } from './monthClose.ts';
import type { DigestProgram } from './planDigests.ts';
import { previewDigest, sendDigestNow } from './preview.ts';
import {
  DigestChangesBody,
  DigestSchema,
  NewDigestBody,
  PreviewQuery,
  PreviewSchema,
  SendBody,
  SendCloseBody,
  SentCloseSchema,
  SentSchema,
} from './schema.ts';

const sampleId = 'dig_5c1f0a9e7b3d4826f1a0';
const params = idParams(sampleId);
const tag = 'Digests';
const write = { tag, access: { scope: 'alerts:write', role: 'viewer' } } as const;
const whose = 'You can do this for your own digests; admins and owners also for those of the organization.';

const verb = verbsWith<VerbContext & DigestProgram>();

export const digestVerbs = [
  verb({
    name: 'digest list',
    at: 'GET /digests',
    access: { scope: 'alerts:read', role: 'viewer' },
    tag,
    title: 'List digests',
    page: '/settings/digests',
    description: 'Lists your digests and, for admins and owners, those of the organization, oldest first.',
    answer: Type.Array(DigestSchema),
    run: async (ctx) => Promise.all((await listDigests(ctx)).map((digest) => digestView(ctx, digest))),
  }),
  verb({
    name: 'digest preview',
    at: 'GET /digests/preview',
    access: { scope: 'costs:read', role: 'viewer' },
    tag,
    title: 'Preview a digest',
    description:
      'Returns the contents of a digest about the latest whole week or month. Sends nothing. Budgets need the scope alerts:read.',
    query: PreviewQuery,
    answer: PreviewSchema,
    run: async (ctx, { query: { frequency = 'weekly', team = null, actor_kind = null } }) => {
      const asked = { frequency, team, actorKind: actor_kind };
      const { figures, email } = await previewDigest(ctx, asked);
      return { ...figuresView(figures), ...email };
    },
  }),
  verb({
    ...write,
    name: 'digest create',
    at: 'POST /digests',
    title: 'Create a digest',
    description:
      'Reports the costs of each week or month by email to you. Admins can also send it to others and to channels.',
    body: NewDigestBody,
    status: 201,
    answer: DigestSchema,
    faults: [409],
    run: async (ctx, { body }) => digestView(ctx, await createDigest(ctx, body)),
  }),
  verb({
    ...write,
    name: 'digest update',
    at: 'PUT /digests/:id',
    title: 'Change a digest',
    description: `Changes the given fields. ${whose}`,
    params,
    body: DigestChangesBody,
    answer: DigestSchema,
    faults: [404],
    run: async (ctx, { params: { id }, body }) => digestView(ctx, await updateDigest(ctx, id, body)),
  }),
  verb({
    ...write,
    name: 'digest delete',
    at: 'DELETE /digests/:id',
    title: 'Delete a digest',
    description: whose,
    ...deletes(sampleId, deleteDigest),
    faults: [404],
  }),
  verb({
    ...write,
    name: 'digest send',
    at: 'POST /digests/:id/send',
    title: 'Send a digest now',
    description:
      'Sends one email about the latest whole week or month, to you or another member. The schedule stays as it is. ' +
      'Responds with 200 even if the mail server refuses the email, and with 409 if no mail server is set or the token ' +
      'has no member.',
    params,
    body: SendBody,
    bodyIsOptional: true,
    answer: SentSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id }, body: { to } }) => {
      const { delivered, error } = await sendDigestNow(ctx, id, to);
      return { delivered, error };
    },
  }),
  verb({
    tag: 'Bills',
    access: write.access,
    name: 'bill month send',
    at: 'POST /bills/months/:id/send',
    title: 'Send the close of a month',
    page: '/bill?view=close',
    description:
      'Sends what `GET /api/v1/bills/months/{id}` says as one email to each address. Somebody who is no member can ' +
      'unsubscribe by it. Responds with 200 even if the mail server refuses an email, and with 409 if no mail server is ' +
      'set or the token has no member and `to` is left out.',
    params: idParams('2026-03'),
    body: SendCloseBody,
    bodyIsOptional: true,
    answer: SentCloseSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id }, body: { to } }) =>
      (await sendMonthClose(ctx, id, to)).map(({ email, delivered, error }) => ({ email, delivered, error })),
  }),
];

async function digestView(ctx: Pick<DigestContext, 'db' | 'mailer' | 'channelKinds'>, digest: Digest) {
  return {
    ...apiFields(digest),
    is_personal: digest.memberId !== null,
    recipients: digest.recipients.map(({ address, memberId, unsubscribedAt }) => ({
      email: address,
      is_member: memberId !== null,
      unsubscribed_at: unsubscribedAt,
    })),
    next_at: digest.enabled ? digest.nextAt : null,
    warnings: await warningsOf(ctx, digest),
  };
}
