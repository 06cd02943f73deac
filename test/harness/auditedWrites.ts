import { newTrigger } from './alerts.ts';
import type { TestOrganization } from './app.ts';

const credentials = { kind: 'token', token: 'github_pat_1234567890' };
const circleCiToken = { kind: 'circleci', token: 'CCIPAT_1234567890', organization_id: 'f22b6566' };
export const budget = { name: 'Budget', alert_type: 'budget', threshold_amount: 10 };
const boxes = { match: 'label', pattern: 'box', runner_kind: 'self_hosted' };

type Write = {
  action: string;
  method: 'POST' | 'PUT' | 'DELETE';
  resource: string;
  id?: string;
  /** The part of the path after the id. */
  rest?: string;
  body?: object;
  /** The table of the write, if it is not the resource's. */
  table?: string;
  /** The target in the log, if it is not the resource. Null for new resources. */
  target?: string | null;
};

/** Every write by people: the operation and its action in the audit log. Reported runs have no entry. */
export async function writesOf(organization: TestOrganization) {
  const idOf = async (resource: string, body: object) =>
    (await organization.send('POST', `/api/v1/${resource}`, body)).body.data.id as string;
  const idsOf = async (resource: string, one: object, other: object) =>
    [await idOf(resource, one), await idOf(resource, other)] as const;
  const [member, leaver] = await idsOf('members', { email: 'a@acme.test' }, { email: 'leaver@acme.test' });
  const invited = await idOf('invitations', { role: 'viewer' });
  const token = await idOf('tokens', { name: 'old', role: 'viewer' });
  const source = await idOf('sources', { kind: 'github' });
  const newAlert = async () =>
    (await organization.send('POST', `/api/v1/alerts?org_id=${organization.orgId}`, budget)).body
      .id as string;
  const [alert, oldAlert] = [await newAlert(), await newAlert()];
  const { alert: triggered, trigger } = await newTrigger(organization);
  const channel = (name: string) => ({ name, kind: 'slack', settings: { url: 'https://hooks.acme.test' } });
  const [posted, oldChannel] = await idsOf('channels', channel('posted'), channel('old'));
  const hook = { url: 'https://hooks.acme.test', events: ['alert.triggered'] };
  const [webhook, oldWebhook] = await idsOf('webhooks', hook, hook);
  const delivery = await idOf(`webhooks/${webhook}/ping`, {});
  const since = { since: '2020-01-01T00:00:00Z' };
  const resend = await idOf(`webhooks/${oldWebhook}/resends`, since);
  const ofWebhook = { method: 'POST', resource: 'webhooks', id: webhook };
  const [bare, connected] = await idsOf('sources', { kind: 'github' }, { kind: 'github' });
  await organization.send('PUT', `/api/v1/sources/${connected}/credentials`, credentials);
  const circleCi = await idOf('sources', { kind: 'circleci' });
  await organization.send('PUT', `/api/v1/sources/${circleCi}/credentials`, circleCiToken);
  const usage = { source_id: circleCi, since: '2d' };
  const backfill = { source_id: connected, repositories: ['acme/api'], since: '2d' };
  const ofAccounts = { resource: 'bills/accounts', table: 'bill_accounts' };
  const [billed, oldBilled] = await idsOf('bills/accounts', { login: 'acme' }, { login: 'beta' });
  const billFetch = (await organization.send('POST', '/api/v1/bills/fetches', { account_id: billed })).body
    .data.id;
  await organization.send('POST', `/api/v1/bills/fetches/${billFetch}/cancel`);
  const march = { from: '2026-03-01', to: '2026-03-02' };
  const daily = { dataset: 'daily', format: 'csv', ...march };
  const toBucket = {
    dataset: 'daily',
    format: 'csv',
    frequency: 'daily',
    endpoint: 'https://s3.acme.test',
    bucket: 'costs',
    access_key_id: 'ours',
    secret_access_key: 'hidden-key',
    enabled: false,
  };
  const [scheduled, oldScheduled] = await idsOf('scheduled-exports', toBucket, toBucket);
  const ofSchedules = { resource: 'scheduled-exports', table: 'scheduled_exports' };
  const [book, oldBook] = await idsOf('pricing/books', { name: 'Ours' }, { name: 'Old' });
  const ruleOf = (pattern: string) => ({ ...boxes, pattern });
  const [rule, oldRule] = await idsOf('pricing/rules', ruleOf('changed'), ruleOf('old'));
  const poolOf = (name: string) => ({ name, match: 'label', pattern: name });
  const [pool, oldPool] = await idsOf('runner-pools', poolOf('changed'), poolOf('old'));
  const ofPools = { resource: 'runner-pools', table: 'runner_pools' };
  const ownership = { kind: 'team', owner: 'Platform', repository: 'acme/new' };
  const ownerOf = (repository: string) => ({ ...ownership, repository });
  const [owned, disowned] = await idsOf('ownership/rules', ownerOf('acme/changed'), ownerOf('acme/old'));
  const agents = { pattern: 'acme-agent-*', kind: 'agent' };
  const [named, unnamed] = await idsOf(
    'actors/patterns',
    { ...agents, pattern: 'one' },
    { ...agents, pattern: 'two' },
  );
  const ofActors = { resource: 'actors/patterns', table: 'actor_patterns' };
  const note = { start: '2026-03-17', text: 'Moved to larger runners' };
  const [noted, oldNote] = await idsOf('annotations', note, note);
  const view = { name: 'Runners', query: 'group_by=runner' };
  const ofViews = { resource: 'views', table: 'saved_views' };
  const ofInvitations = { resource: 'invitations' };
  const toCto = { frequency: 'weekly', is_personal: false, recipients: ['cto@acme.test'] };
  const [sent, oldDigest] = await idsOf('digests', toCto, { ...toCto, frequency: 'monthly' });
  const ofBooks = { resource: 'pricing/books', table: 'price_books' };
  const ofShares = { resource: 'share-links', table: 'share_links' };
  const [viewed, oldView] = await idsOf('views', { ...view, name: 'Viewed' }, { ...view, name: 'Old' });
  const terms = [{ effective_from: '2026-03-01', discount_percent: 10 }];
  const rates = [{ runner_kind: 'self_hosted', usd_per_minute: 0.001 }];
  const ofTask = { method: 'POST', rest: '/cancel', table: 'tasks' };
  for (let count = 0; count < 2; count++) {
    await organization.send('POST', '/api/v1/session', { token: organization.token });
  }
  const [session] = (await organization.get('/api/v1/sessions')).body.data;
  return [
    { action: 'organization.update', method: 'PUT', resource: 'organization', body: { name: 'New name' } },
    { action: 'member.add', method: 'POST', resource: 'members', body: { email: 'new@acme.test' } },
    { action: 'member.update', method: 'PUT', resource: 'members', id: member, body: { role: 'admin' } },
    { action: 'member.remove', method: 'DELETE', resource: 'members', id: leaver },
    { ...ofInvitations, action: 'invitation.create', method: 'POST', body: { role: 'viewer' } },
    { ...ofInvitations, action: 'invitation.resend', method: 'POST', id: invited, rest: '/resend', body: {} },
    { ...ofInvitations, action: 'invitation.revoke', method: 'DELETE', id: invited },
    { action: 'token.create', method: 'POST', resource: 'tokens', body: { name: 'new', role: 'viewer' } },
    { action: 'token.revoke', method: 'DELETE', resource: 'tokens', id: token },
    { action: 'source.create', method: 'POST', resource: 'sources', body: { kind: 'github' } },
    { action: 'source.delete', method: 'DELETE', resource: 'sources', id: source },
    { action: 'github_app.start', method: 'POST', resource: 'github-apps', body: {}, table: 'github_apps' },
    { action: 'alert.create', method: 'POST', resource: 'alerts', body: budget },
    { action: 'alert.update', method: 'PUT', resource: 'alerts', id: alert, body: { enabled: false } },
    { action: 'alert.delete', method: 'DELETE', resource: 'alerts', id: oldAlert },
    {
      action: 'alert.acknowledge',
      method: 'POST',
      resource: 'alerts',
      id: triggered,
      rest: `/triggers/${trigger}/acknowledge`,
      table: 'alert_triggers',
    },
    { action: 'webhook.create', method: 'POST', resource: 'webhooks', body: hook },
    {
      action: 'webhook.update',
      method: 'PUT',
      resource: 'webhooks',
      id: webhook,
      body: { status: 'paused' },
    },
    { action: 'webhook.rotate_secret', ...ofWebhook, rest: '/rotate-secret', table: 'webhooks' },
    { action: 'webhook.ping', ...ofWebhook, rest: '/ping', table: 'deliveries', target: webhook },
    {
      action: 'delivery.resend',
      ...ofWebhook,
      rest: `/deliveries/${delivery}/resend`,
      table: 'deliveries',
      target: delivery,
    },
    { action: 'resend.start', ...ofWebhook, rest: '/resends', table: 'resends', target: null, body: since },
    {
      action: 'resend.cancel',
      ...ofWebhook,
      id: oldWebhook,
      rest: `/resends/${resend}/cancel`,
      table: 'resends',
      target: resend,
    },
    { action: 'webhook.delete', method: 'DELETE', resource: 'webhooks', id: oldWebhook },
    {
      action: 'pricing.update',
      method: 'PUT',
      resource: 'pricing',
      body: { book_id: book },
      table: 'organizations',
    },
    {
      action: 'billing_terms.update',
      method: 'PUT',
      resource: 'pricing/terms',
      body: { terms },
      table: 'billing_terms',
    },
    {
      action: 'billing_terms.update',
      method: 'POST',
      resource: 'pricing/terms',
      body: { effective_from: '2031-01-01', discount_percent: 7 },
      table: 'billing_terms',
    },
    { ...ofBooks, action: 'price_book.create', method: 'POST', body: { name: 'New' } },
    { ...ofBooks, action: 'price_book.update', method: 'PUT', id: book, body: { name: 'X' } },
    { action: 'price_book.delete', method: 'DELETE', resource: 'pricing/books', id: oldBook },
    { ...ofPools, action: 'runner_pool.create', method: 'POST', body: poolOf('new') },
    { ...ofPools, action: 'runner_pool.update', method: 'PUT', id: pool, body: { pattern: 'x' } },
    {
      action: 'runner_pool.import',
      method: 'POST',
      resource: 'runner-pools/import',
      body: { csv: 'pool,month,cost_usd\nchanged,2026-01,31\n' },
      table: 'runner_pool_days',
      target: null,
    },
    { ...ofPools, action: 'runner_pool.delete', method: 'DELETE', id: oldPool },
    {
      action: 'price_rule.create',
      method: 'POST',
      resource: 'pricing/rules',
      body: boxes,
      table: 'price_rules',
    },
    {
      action: 'price_rule.update',
      method: 'PUT',
      resource: 'pricing/rules',
      id: rule,
      body: { pattern: 'b' },
      table: 'price_rules',
    },
    { action: 'price_rule.delete', method: 'DELETE', resource: 'pricing/rules', id: oldRule },
    {
      action: 'ownership_rule.create',
      method: 'POST',
      resource: 'ownership/rules',
      body: ownership,
      table: 'ownership_rules',
    },
    {
      action: 'ownership_rule.update',
      method: 'PUT',
      resource: 'ownership/rules',
      id: owned,
      body: { owner: 'Web' },
      table: 'ownership_rules',
    },
    {
      action: 'ownership_rule.delete',
      method: 'DELETE',
      resource: 'ownership/rules',
      id: disowned,
    },
    { ...ofActors, action: 'actor_pattern.create', method: 'POST', body: agents },
    { ...ofActors, action: 'actor_pattern.update', method: 'PUT', id: named, body: { kind: 'bot' } },
    { ...ofActors, action: 'actor_pattern.delete', method: 'DELETE', id: unnamed },
    { action: 'annotation.create', method: 'POST', resource: 'annotations', body: note },
    { action: 'annotation.update', method: 'PUT', resource: 'annotations', id: noted, body: { text: 'X' } },
    { action: 'annotation.delete', method: 'DELETE', resource: 'annotations', id: oldNote },
    { ...ofViews, action: 'view.create', method: 'POST', body: view },
    { ...ofViews, action: 'view.update', method: 'PUT', id: viewed, body: { name: 'X' } },
    { ...ofViews, action: 'view.delete', method: 'DELETE', id: oldView },
    { action: 'channel.create', method: 'POST', resource: 'channels', body: channel('new') },
    { action: 'channel.update', method: 'PUT', resource: 'channels', id: posted, body: { name: 'X' } },
    { action: 'channel.delete', method: 'DELETE', resource: 'channels', id: oldChannel },
    { action: 'digest.create', method: 'POST', resource: 'digests', body: toCto },
    { action: 'digest.update', method: 'PUT', resource: 'digests', id: sent, body: { enabled: false } },
    { action: 'digest.delete', method: 'DELETE', resource: 'digests', id: oldDigest },
    { ...ofShares, action: 'share.create', method: 'POST', body: { query: '' } },
    { ...ofShares, action: 'share.revoke', method: 'DELETE', id: await idOf('share-links', { query: '' }) },
    {
      action: 'ownership_import.start',
      method: 'POST',
      resource: 'ownership/imports',
      body: { from: 'codeowners', source_id: connected },
      table: 'tasks',
    },
    {
      ...ofTask,
      action: 'ownership_import.cancel',
      resource: 'ownership/imports',
      id: await idOf('ownership/imports', { from: 'codeowners', source_id: connected }),
    },
    {
      action: 'shadow_rates.update',
      method: 'PUT',
      resource: 'pricing/shadow-rates',
      body: { rates },
      table: 'shadow_rates',
    },
    { action: 'reprice.create', method: 'POST', resource: 'reprices', body: march, table: 'tasks' },
    { action: 'export.create', method: 'POST', resource: 'exports', body: daily, table: 'tasks' },
    { ...ofSchedules, action: 'scheduled_export.create', method: 'POST', body: toBucket },
    {
      ...ofSchedules,
      action: 'scheduled_export.update',
      method: 'PUT',
      id: scheduled,
      body: { bucket: 'others' },
    },
    { ...ofSchedules, action: 'scheduled_export.delete', method: 'DELETE', id: oldScheduled },
    { ...ofTask, action: 'export.cancel', resource: 'exports', id: await idOf('exports', daily) },
    {
      action: 'storage_reading.start',
      method: 'POST',
      resource: 'storage/readings',
      body: { source_id: connected, repositories: ['acme/app'] },
      table: 'tasks',
    },
    {
      ...ofTask,
      action: 'storage_reading.cancel',
      resource: 'storage/readings',
      id: await idOf('storage/readings', { source_id: connected }),
    },
    { action: 'backfill.start', method: 'POST', resource: 'backfills', body: backfill, table: 'tasks' },
    { ...ofAccounts, action: 'bill_account.create', method: 'POST', body: { login: 'gamma' } },
    {
      action: 'bill_fetch.start',
      method: 'POST',
      resource: 'bills/fetches',
      body: { account_id: billed },
      table: 'tasks',
    },
    {
      ...ofTask,
      action: 'bill_fetch.cancel',
      resource: 'bills/fetches',
      id: await idOf('bills/fetches', { account_id: oldBilled }),
    },
    { ...ofAccounts, action: 'bill_account.delete', method: 'DELETE', id: oldBilled },
    { ...ofTask, action: 'backfill.cancel', resource: 'backfills', id: await idOf('backfills', backfill) },
    { action: 'usage_import.start', method: 'POST', resource: 'usage-imports', body: usage, table: 'tasks' },
    {
      ...ofTask,
      action: 'usage_import.cancel',
      resource: 'usage-imports',
      id: await idOf('usage-imports', usage),
    },
    {
      action: 'source.set_credentials',
      method: 'PUT',
      resource: 'sources',
      id: bare,
      rest: '/credentials',
      body: credentials,
      table: 'source_credentials',
    },
    {
      action: 'source.delete_credentials',
      method: 'DELETE',
      resource: 'sources',
      id: connected,
      rest: '/credentials',
    },
    { action: 'session.end', method: 'DELETE', resource: 'sessions', id: session.id },
    { action: 'session.end_all', method: 'DELETE', resource: 'sessions', target: session.token.id },
  ] as Write[];
}

export const addressOf = ({ resource, id, rest = '' }: Pick<Write, 'resource' | 'id' | 'rest'>) =>
  `/api/v1/${resource}${id ? `/${id}` : ''}${rest}`;

export const sendTo = ({ orgId, send }: TestOrganization, write: Write) =>
  send(write.method, `${addressOf(write)}?org_id=${orgId}`, write.body);
