import type { Program } from '../../context.ts';
import type { ChatFormat } from './getOrganization.ts';
import { findOrganization } from './queries.ts';

/** The address and form of the organization's chat, for sending to it; null where none is set. */
export async function getChatWebhook(
  { db, vault }: Pick<Program, 'db' | 'vault'>,
  orgId: string,
): Promise<{ url: string; format: ChatFormat } | null> {
  const row = await findOrganization(db, orgId);
  if (!row?.chatWebhookUrl || !row.chatWebhookFormat) return null;
  return { url: vault.open(row.chatWebhookUrl), format: row.chatWebhookFormat };
}
