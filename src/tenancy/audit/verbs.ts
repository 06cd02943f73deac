import { Type, type TSchema } from 'typebox';
import {
  dayOf,
  nullableText,
  pageOf,
  PageQuery,
  sampleText,
  Timestamp,
  Uuid,
  words,
} from '../../platform/http/schemas.ts';
import { verb } from '../../platform/http/verbs.ts';
import { readPagination, paginationView } from '../../platform/http/views.ts';
import { auditColumns, auditCsv, auditKinds, listAuditEntries } from './audit.ts';

const several = <Items extends TSchema>(items: Items, description: string, example: string) =>
  Type.Optional(Type.Array(items, { maxItems: 100, description, examples: [[example]] }));
const kinds = auditKinds.map(({ kind }) => kind);
const AuditQuery = Type.Object({
  kind: several(
    words(kinds),
    'only actions with this part before the dot; `kinds` of the answer lists them',
    'member',
  ),
  actor: several(Type.String({ maxLength: 300 }), 'only by these', 'session of mona@acme.example'),
  from: Type.Optional(dayOf('2026-03-01', 'first day, UTC')),
  to: Type.Optional(dayOf('2026-03-31', 'last day, UTC')),
  ...PageQuery.properties,
});

const AuditEntrySchema = Type.Object({
  id: Uuid,
  created_at: Timestamp,
  actor: sampleText(
    'token tok_72f7ab46193cdf1e16cc',
    '`token tok_…`, `session of …`, `cli` or `unsubscribe link`',
  ),
  action: Type.String({ examples: ['member.add'] }),
  target: Type.String({
    description: 'id of the thing that changed',
    examples: ['mem_5c1f0a9e7b3d4826f1a0'],
  }),
  details: Type.Record(Type.String(), Type.Unknown()),
  summary: sampleText('added ada@acme.example as viewer', 'what the actor did, in words'),
  target_name: nullableText('ada@acme.example', 'its name today, or else when the entry was recorded'),
  target_page: nullableText('/alerts/6f0c2f64-5d2b-4b53-9c0e-0a7d7f0f6a11', 'its page, if it has one'),
});

const AuditKind = Type.Object({
  kind: words(kinds, { description: 'the part of an action before the dot', examples: ['member'] }),
  title: sampleText('Members'),
});

export const auditVerbs = [
  verb({
    name: 'audit-log list',
    at: 'GET /audit-log',
    access: { scope: 'admin', role: 'admin' },
    tag: 'Organization',
    title: 'List who changed what',
    page: '/settings/audit',
    description:
      'Lists entries, newest first. With `Accept: text/csv` the response is a CSV file with the newest 10,000 entries, without pages.',
    query: AuditQuery,
    answer: Type.Object({ ...pageOf(AuditEntrySchema).properties, kinds: Type.Array(AuditKind) }),
    isWhole: true,
    columns: [['created_at', 'at'], 'actor', 'summary', 'action', 'target'],
    csv: {
      title: 'Entries',
      example: auditColumns.join(','),
      file: async (ctx, { query }) => ({ name: 'audit-log', text: await auditCsv(ctx, query) }),
    },
    run: async (ctx, { query }) => {
      const page = readPagination(query);
      const { entries: data, total } = await listAuditEntries(ctx, query, page);
      return { data, pagination: paginationView(page, total), kinds: auditKinds };
    },
  }),
];
