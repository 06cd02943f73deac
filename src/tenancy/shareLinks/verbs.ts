import { Type, type Static } from 'typebox';
import {
  nameOf,
  nullable,
  NullableName,
  nullableText,
  nullableTimestampOf,
  readOnlyFields,
  sampleText,
  Timestamp,
  words,
} from '../../platform/http/schemas.ts';
import { deletes, type VerbContext, verbsWith } from '../../platform/http/verbs.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import { invalid } from '../../platform/lib/errors.ts';
import {
  badgePeriods,
  createShareLink,
  listShareLinks,
  readSites,
  revokeShareLink,
  sharedCharts,
  sharedPages,
  shareLinkKinds,
  shareLinkUrl,
  shareLinkView,
  writeBadge,
  type NewShareLink,
} from './shareLinks.ts';

const sampleId = 'shr_5c1f0a9e7b3d4826f1a0';
const sampleQuery = 'from=2026-03-01&to=2026-03-30&group_by=repository&granularity=day';

const kind = words(shareLinkKinds, {
  description:
    '`link`: a page of its own; `badge`: an image with one amount; `embed`: a page to show within the sites of `sites`',
  examples: ['link'],
});
const sites = Type.Array(Type.String({ maxLength: 300, examples: ['https://wiki.acme.example'] }), {
  maxItems: 50,
  description: 'origins of the sites that may show an embed, at most 10',
  examples: [['https://wiki.acme.example']],
});

const view = {
  page: words(sharedPages, {
    description: 'the page whose layout the shared view uses',
    examples: ['explore'],
  }),
  chart: words(sharedCharts, { examples: ['bars'] }),
  query: sampleText(sampleQuery, 'the query of `GET /costs` with all its fields; for a badge, what it shows'),
  kind,
  sites,
};

const ShareSchema = Type.Object({
  id: sampleText(sampleId),
  name: nullableText('For the board'),
  ...view,
  author: sampleText('Mona'),
  can_revoke: Type.Boolean({ description: 'whether you may revoke the link' }),
  created_at: Timestamp,
  expires_at: nullableTimestampOf('null for a badge that never expires'),
  last_used_at: nullableTimestampOf(
    'ISO 8601, UTC, accurate to five minutes; null if nobody has opened the link yet',
  ),
});

const CreatedShareSchema = Type.Object({
  ...ShareSchema.properties,
  url: sampleText(
    'https://runcost.acme.example/shared#link=runcost_share_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_5c1f0a9e7b3d4826f1a0_Xq3vT8mZ1kR5wN7yB2cD4fG6hJ9lP0sA-uEiOxKtVzY',
    'the link, shown only once',
  ),
});

const NewShareBody = Type.Object(
  {
    name: Type.Optional(
      Type.Unsafe<string | null>({
        ...NullableName,
        description: 'what you call it; its visitors do not see it. Spaces around it are left out',
      }),
    ),
    kind: Type.Optional(kind),
    sites: Type.Optional(sites),
    badge: Type.Optional(
      Type.Object(
        {
          period: Type.Optional(words(badgePeriods, { description: 'default: `month`, the month to date' })),
          label: Type.Optional(
            nameOf({
              maxLength: 60,
              description: 'text before the amount',
              examples: ['CI this month'],
            }),
          ),
          repository: Type.Optional(nameOf({ maxLength: 255, examples: ['acme/api'] })),
          team: Type.Optional(nameOf({ maxLength: 255, examples: ['Platform'] })),
        },
        { additionalProperties: false, description: 'what a badge shows; by default all costs' },
      ),
    ),
    page: Type.Optional(words(sharedPages, { description: 'default: `explore`' })),
    chart: Type.Optional(words(sharedCharts, { description: 'default: `bars`' })),
    query: Type.Optional(
      Type.String({
        maxLength: 4_000,
        description:
          'the query of `GET /costs`. `days` moves with the calendar, `from` and `to` do not. Required, except ' +
          'for a badge',
        examples: [sampleQuery],
      }),
    ),
    valid_days: Type.Optional(
      nullable(
        Type.Integer({
          minimum: 1,
          maximum: 90,
          description:
            'days until the link expires; default 7. Null means never and is allowed for badges only',
        }),
      ),
    ),
    ...readOnlyFields('id', 'author', 'can_revoke', 'created_at', 'expires_at', 'last_used_at', 'url'),
  },
  {
    additionalProperties: false,
    examples: [{ name: 'For the board', page: 'explore', query: sampleQuery, valid_days: 30 }],
  },
);

const common = { tag: 'Share links', isNeverStored: true } as const;
const read = { ...common, access: { scope: 'costs:read', role: 'viewer' } } as const;
const write = { ...common, access: { scope: 'shares:write', role: 'member' } } as const;

type ShareProgram = {
  publicUrl: () => string;
  /** With all its fields. Injected, because `tenancy` must not depend on `insight`. */
  readShared: (query: string, plan: Plan) => string;
};
const verb = verbsWith<VerbContext & ShareProgram>();

export const shareLinkVerbs = [
  verb({
    ...read,
    name: 'share list',
    at: 'GET /share-links',
    title: 'List share links',
    description: 'Lists the working links of the organization, newest first.',
    answer: Type.Array(ShareSchema),
    columns: [
      ['id', 'link'],
      'name',
      'kind',
      'query',
      ['author', 'by'],
      ['expires_at', 'expires'],
      ['last_used_at', 'last used'],
    ],
    run: async (ctx) => (await listShareLinks(ctx)).map(shareLinkView),
  }),
  verb({
    ...write,
    name: 'share create',
    at: 'POST /share-links',
    title: 'Create a share link',
    description:
      'Anyone with the link sees this view, and nothing else, without an account, until the link expires ' +
      'or is revoked. It also ends when the member who created it is removed or becomes a ' +
      'viewer, and when the service account that created it is revoked or expires.',
    body: NewShareBody,
    status: 201,
    answer: CreatedShareSchema,
    faults: [409],
    run: async (ctx, { body }) => {
      const asked = readNewShare(body, (query) => ctx.readShared(query, ctx.plan));
      const { share, secret } = await createShareLink(ctx, asked);
      return { ...shareLinkView(share), url: shareLinkUrl(ctx.publicUrl(), secret, share.kind) };
    },
  }),
  verb({
    ...write,
    name: 'share revoke',
    at: 'DELETE /share-links/:id',
    title: 'Revoke a share link',
    description: 'The link stops working at once. Its author, admins and owners can revoke it.',
    ...deletes(sampleId, revokeShareLink),
    faults: [404],
  }),
];

function readNewShare(body: Static<typeof NewShareBody>, readQuery: (query: string) => string): NewShareLink {
  const { kind: asked = 'link', page = 'explore', chart = 'bars', valid_days: validDays = 7 } = body;
  const { name = null } = body;
  const refuse = (field: 'sites' | 'badge' | 'query', needed: string): void => {
    if (body[field] !== undefined) throw invalid(field, `must be left out: it is only for ${needed}`);
  };
  if (asked !== 'embed') refuse('sites', 'an embed');
  if (asked === 'badge') {
    refuse('query', 'links and embeds; a badge has `badge`');
    return {
      name,
      kind: asked,
      page: 'overview',
      chart,
      query: writeBadge(body.badge ?? {}),
      sites: [],
      validDays,
    };
  }
  refuse('badge', 'a badge');
  if (validDays === null)
    throw invalid('valid_days', 'must be a number of days: only a badge can be valid forever');
  if (body.query === undefined) throw invalid('query', 'is required');
  const sitesOf = asked === 'embed' ? readSites(body.sites ?? []) : [];
  return { name, kind: asked, page, chart, query: readQuery(body.query), sites: sitesOf, validDays };
}
