import type { Vault } from '../lib/encryption.ts';
import type { Transaction } from './database.ts';

/** Seals every stored secret anew, with the key that seals now, so that former keys are needed no more. */
export async function resealSecrets(tx: Transaction, vault: Vault): Promise<void> {
  const resealed = (sealed: Buffer) => vault.seal(vault.open(sealed));
  const chats = await tx
    .selectFrom('organizations')
    .select(['orgId', 'chatWebhookUrl'])
    .where('chatWebhookUrl', 'is not', null)
    .forUpdate()
    .execute();
  for (const { orgId, chatWebhookUrl } of chats) {
    const change = { chatWebhookUrl: resealed(chatWebhookUrl!) };
    await tx.updateTable('organizations').set(change).where('orgId', '=', orgId).execute();
  }
  const sources = await tx.selectFrom('sources').select(['orgId', 'id', 'secret']).forUpdate().execute();
  for (const { orgId, id, secret } of sources) {
    const change = { secret: resealed(secret) };
    await tx.updateTable('sources').set(change).where('orgId', '=', orgId).where('id', '=', id).execute();
  }
  const credentials = await tx
    .selectFrom('sourceCredentials')
    .select(['orgId', 'sourceId', 'secret'])
    .forUpdate()
    .execute();
  for (const { orgId, sourceId, secret } of credentials) {
    const change = { secret: resealed(secret) };
    await tx
      .updateTable('sourceCredentials')
      .set(change)
      .where('orgId', '=', orgId)
      .where('sourceId', '=', sourceId)
      .execute();
  }
  const webhooks = await tx
    .selectFrom('webhooks')
    .select(['orgId', 'id', 'secret', 'nextSecret'])
    .forUpdate()
    .execute();
  for (const { orgId, id, secret, nextSecret } of webhooks) {
    const change = { secret: resealed(secret), nextSecret: nextSecret && resealed(nextSecret) };
    await tx.updateTable('webhooks').set(change).where('orgId', '=', orgId).where('id', '=', id).execute();
  }
}
