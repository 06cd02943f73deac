import type { Database, Transaction } from '../../platform/db/database.ts';
import { invalid, notFound, PublicError, nameTaken } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { looksOf, nearestOf } from '../../platform/lib/text.ts';
import { differences, recordAudit } from '../../tenancy/audit/audit.ts';
import { clearFormerChat, lockOrganization, requireRoom } from '../../tenancy/organizations/organizations.ts';
import type { ChannelContext, ChannelProgram } from './context.ts';
import type { ChannelKind, ChannelKinds, Values } from './kind.ts';
import { type ChannelRow, channelRows, findChannelNamed, findChannels } from './queries.ts';
import { readSettings } from './settings.ts';
import { findTeams, requireTeamOf } from './teamNames.ts';

export type Channel = ChannelRow;

type ReadContext = Pick<ChannelContext, 'db'> & { actor: Pick<ChannelContext['actor'], 'orgId'> };

/** Alerts that choose no channel go to the one with this name. */
export const defaultName = 'default';

export function isDefault({ name }: Pick<Channel, 'name'>): boolean {
  return looksOf(name) === defaultName;
}

export function listChannels({ db, actor }: ReadContext): Promise<Channel[]> {
  return findChannels(db, actor.orgId);
}

export async function getChannel({ db, actor }: ReadContext, id: string): Promise<Channel> {
  const channel = await channelRows.find(db, { orgId: actor.orgId, id });
  if (!channel) throw notFound('channel');
  return channel;
}

export async function findDefault(db: Database, orgId: string): Promise<Channel | undefined> {
  return (await findChannels(db, orgId)).find(isDefault);
}

/** The channel of a queued message. Null stands for the default one: an earlier program knew no other. */
export function findReceiving(db: Database, orgId: string, id: string | null): Promise<Channel | undefined> {
  return id === null ? findDefault(db, orgId) : channelRows.find(db, { orgId, id });
}

export function kindOf({ channelKinds }: Pick<ChannelProgram, 'channelKinds'>, name: string): ChannelKind {
  if (Object.hasOwn(channelKinds, name)) return channelKinds[name]!;
  const names = Object.keys(channelKinds);
  const nearest = nearestOf(name, names);
  throw invalid(
    'kind',
    nearest ? `must be a kind; did you mean ${nearest}?` : `must be one of ${names.join(', ')}`,
  );
}

type ChannelInput = { name: string; kind: string; settings?: Values; teams?: readonly string[] };

const maxChannels = 50;

export async function createChannel(ctx: ChannelContext, input: ChannelInput): Promise<Channel> {
  const kind = kindOf(ctx, input.kind);
  const { stored } = readSettings(ctx, kind, { given: input.settings ?? {} });
  const { db, actor } = ctx;
  return db.transaction().execute(async (tx) => {
    await requireRoomForOne(tx, actor.orgId);
    const teams = await readTeams({ db: tx, actor }, input.teams ?? []);
    await requireFreeName(tx, actor.orgId, input);
    const channel = await addChannel(tx, ctx, { ...input, ...stored, teams });
    await recordAudit(tx, ctx, 'channel.create', channel.id, namedByTheApi(channel));
    return channel;
  });
}

export function requireRoomForOne(tx: Transaction, orgId: string): Promise<void> {
  const count = () => channelRows.count(tx, { orgId });
  return requireRoom(tx, orgId, { things: 'channels', max: maxChannels, count, advice: 'Delete one first.' });
}

type NewChannel = Pick<Channel, 'name' | 'kind' | 'settings' | 'secrets' | 'teams'>;

export async function addChannel(
  tx: Transaction,
  { actor, clock }: Pick<ChannelContext, 'actor' | 'clock'>,
  { name, kind, settings, secrets, teams }: NewChannel,
): Promise<Channel> {
  const now = clock.now();
  if (isDefault({ name })) await clearFormerChat(tx, actor.orgId);
  return channelRows.insert(tx, {
    orgId: actor.orgId,
    id: randomId('chn'),
    name,
    kind,
    settings: JSON.stringify(settings),
    secrets: JSON.stringify(secrets),
    teams,
    createdAt: now,
    updatedAt: now,
  });
}

export async function replaceChannel(
  tx: Transaction,
  before: Channel,
  changes: Parameters<typeof channelRows.change>[2],
): Promise<Channel> {
  const after = (await channelRows.change(tx, before, changes))!;
  if (isDefault(before) || isDefault(after)) await clearFormerChat(tx, before.orgId);
  return after;
}

type ChannelChanges = Partial<Omit<ChannelInput, 'kind'>>;

/** Changes the given fields, and of `settings` the given ones. */
export async function updateChannel(
  ctx: ChannelContext,
  id: string,
  changes: ChannelChanges,
): Promise<Channel> {
  const { db, actor, clock } = ctx;
  return db.transaction().execute(async (tx) => {
    await lockOrganization(tx, actor.orgId);
    const before = await getChannel({ db: tx, actor }, id);
    const { name = before.name } = changes;
    const { stored, hasOtherSecret } = readSettings(ctx, kindOf(ctx, before.kind), {
      given: changes.settings ?? {},
      before,
    });
    const teams = await readTeams({ db: tx, actor }, changes.teams ?? before.teams, before.teams);
    const next = { ...before, ...stored, name, teams };
    const details = differences(namedByTheApi(before), namedByTheApi(next, hasOtherSecret));
    if (!details) return before;
    if (name !== before.name) await requireFreeName(tx, actor.orgId, next);
    const changed = await replaceChannel(tx, before, {
      name,
      settings: JSON.stringify(stored.settings),
      secrets: JSON.stringify(stored.secrets),
      teams,
      updatedAt: clock.now(),
    });
    await recordAudit(tx, ctx, 'channel.update', id, details);
    return changed;
  });
}

export async function deleteChannel(ctx: ChannelContext, id: string): Promise<void> {
  const { db, actor } = ctx;
  await db.transaction().execute(async (tx) => {
    await lockOrganization(tx, actor.orgId);
    const channel = await getChannel({ db: tx, actor }, id);
    await removeUnused(tx, ctx, channel);
    await recordAudit(tx, ctx, 'channel.delete', id, namedByTheApi(channel));
  });
}

const maxNamed = 5;

/** A message that silently goes elsewhere is worse than a channel that stays. */
export async function removeUnused(
  tx: Transaction,
  { channelUses }: Pick<ChannelProgram, 'channelUses'>,
  { orgId, id, name }: Channel,
): Promise<void> {
  const uses = (await Promise.all(channelUses.map((find) => find(tx, orgId, id)))).flat();
  if (uses.length === 0) {
    if (isDefault({ name })) await clearFormerChat(tx, orgId);
    return void (await channelRows.remove(tx, { orgId, id }));
  }
  const left = uses.length - maxNamed;
  const named = [...uses.slice(0, maxNamed), ...(left > 0 ? [`${left} more`] : [])].join(', ');
  const message = `The channel ${name} is used by ${named}. Choose other channels there first.`;
  throw new PublicError('conflict', 'channel_in_use', message);
}

async function requireFreeName(
  tx: Transaction,
  orgId: string,
  { id, name }: { id?: string; name: string },
): Promise<void> {
  const looksSame = (other: Channel) => looksOf(other.name) === looksOf(name);
  const others = [
    ...(await findChannels(tx, orgId)).filter(looksSame),
    await findChannelNamed(tx, orgId, name),
  ];
  if (others.every((other) => other === undefined || other.id === id)) return;
  throw nameTaken(
    'channel_name_taken',
    `Another channel is named ${name}. Choose another name.`,
    'belongs to another channel',
  );
}

/** A team of before may have lost its rules since. */
async function readTeams(
  { db, actor }: ReadContext,
  teams: readonly string[],
  before: readonly string[] = [],
): Promise<string[]> {
  if (teams.every((team) => before.includes(team))) return [...new Set(teams)];
  const known = await findTeams(db, actor.orgId);
  for (const [index, team] of teams.entries()) {
    if (!before.includes(team)) requireTeamOf(known, team, `teams[${index}]`);
  }
  return [...new Set(teams)];
}

function namedByTheApi({ name, kind, settings, teams }: NewChannel, hasOtherSecret = false) {
  return { name, kind, settings, teams, ...(hasOtherSecret && { secret: 'changed' }) };
}

const maxChosen = 10;

/** The channels that an alert or a digest chooses. Throws if one is not there, or gets no such messages. */
export async function readChoice(
  { db, actor, channelKinds }: ReadContext & Pick<ChannelProgram, 'channelKinds'>,
  ids: readonly string[],
  { forDigest = false } = {},
): Promise<string[]> {
  if (ids.length === 0) return [];
  const distinct = [...new Set(ids)];
  if (distinct.length > maxChosen) throw invalid('channel_ids', `must have at most ${maxChosen} channels`);
  const channels = new Map((await findChannels(db, actor.orgId)).map((channel) => [channel.id, channel]));
  for (const [index, id] of ids.entries()) {
    const channel = channels.get(id);
    if (!channel)
      throw invalid(`channel_ids[${index}]`, 'must be the id of a channel; GET /api/v1/channels lists them');
    if (forDigest && !takesDigests(channelKinds, channel)) {
      throw invalid(`channel_ids[${index}]`, `is ${channel.name}, which gets alerts only`);
    }
  }
  return distinct;
}

export function takesDigests(kinds: ChannelKinds, { kind }: Pick<Channel, 'kind'>): boolean {
  return kinds[kind] !== undefined && !kinds[kind].isForAlertsOnly;
}

export type Route = { channelIds: readonly string[]; team?: string | undefined; usesDefault: boolean };

/** To the chosen channels; if there are none, to those of the team, and else to the default one. */
export function routed(channels: readonly Channel[], { channelIds, team, usesDefault }: Route): Channel[] {
  if (channelIds.length > 0) return channels.filter(({ id }) => channelIds.includes(id));
  if (!usesDefault) return [];
  const ofTeam = team === undefined ? [] : channels.filter(({ teams }) => teams.includes(team));
  return ofTeam.length > 0 ? ofTeam : channels.filter(isDefault);
}

export async function channelsFor(db: Database, orgId: string, route: Route): Promise<Channel[]> {
  if (route.channelIds.length === 0 && !route.usesDefault) return [];
  return routed(await findChannels(db, orgId), route);
}
