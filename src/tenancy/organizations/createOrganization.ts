import { randomUUID } from 'node:crypto';
import type { Program } from '../../context.ts';
import { cliActor } from '../../platform/lib/actor.ts';
import { recordAudit } from '../audit/audit.ts';
import { insertOrganization } from './queries.ts';

/** Creates an organization on the `team` plan and answers its id. Only the program itself and its CLI may. */
export async function createOrganization(
  program: Program,
  input: { name: string; login?: string },
): Promise<string> {
  const orgId = randomUUID();
  const now = program.clock.now();
  await program.db.transaction().execute(async (tx) => {
    await insertOrganization(tx, {
      orgId,
      name: input.name,
      login: input.login ?? null,
      plan: 'team',
      chatWebhookUrl: null,
      chatWebhookHost: null,
      chatWebhookFormat: null,
      createdAt: now,
      updatedAt: now,
    });
    await recordAudit(tx, { ...program, actor: cliActor(orgId) }, 'organization.create', orgId, input);
  });
  return orgId;
}
