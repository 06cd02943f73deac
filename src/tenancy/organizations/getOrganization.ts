import type { Context } from '../../context.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import { notFound } from '../../platform/lib/errors.ts';
import { findOrganization, findOrganizations, type OrganizationRow } from './queries.ts';

export type Organization = {
  orgId: string;
  name: string;
  /** The organization's name at its CI provider. */
  login: string | null;
  plan: Plan;
  /** The URL is a secret and never shown again; its host tells which one it is. */
  chatWebhook: { host: string; format: ChatFormat } | null;
  createdAt: Date;
  updatedAt: Date;
};

export type ChatFormat = 'slack' | 'teams' | 'discord' | 'json';

type Reader = Pick<Context, 'db'> & { actor: Pick<Context['actor'], 'orgId'> };

/** The actor's organization. */
export async function getOrganization({ db, actor }: Reader): Promise<Organization> {
  const row = await findOrganization(db, actor.orgId);
  if (!row) throw notFound('organization');
  return organizationOf(row);
}

/** All organizations of this installation, oldest first; for the program itself and its CLI. */
export async function listOrganizations({ db }: Pick<Context, 'db'>): Promise<Organization[]> {
  return (await findOrganizations(db)).map(organizationOf);
}

function organizationOf(row: OrganizationRow): Organization {
  const { orgId, name, login, plan, chatWebhookHost, chatWebhookFormat, createdAt, updatedAt } = row;
  const chatWebhook =
    chatWebhookHost && chatWebhookFormat ? { host: chatWebhookHost, format: chatWebhookFormat } : null;
  return { orgId, name, login, plan, chatWebhook, createdAt, updatedAt };
}
