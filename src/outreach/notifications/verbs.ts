import { idParams, TestOutcomeSchema } from '../../platform/http/schemas.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import type { NotificationProgram } from './context.ts';
import { sendTestEmail } from './email/send.ts';

const access = { scope: 'admin', role: 'admin' } as const;

const verb = verbsWith<VerbContext & NotificationProgram>();

export const notificationVerbs = [
  verb({
    name: 'member test-email',
    at: 'POST /members/:id/test-email',
    access,
    tag: 'Members',
    title: 'Send a test email to a member',
    description:
      'Responds with 200 even if the mail server refuses the email, and with 409 if no mail server is set (SMTP_URL).',
    params: idParams('mem_5c1f0a9e7b3d4826f1a0'),
    answer: TestOutcomeSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id } }) => apiFields(await sendTestEmail(ctx, id)),
  }),
];
