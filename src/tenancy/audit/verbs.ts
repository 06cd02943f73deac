import { Type } from 'typebox';
import { dayOf, pageOf, PageQuery, sampleText, Timestamp, Uuid } from '../../platform/http/schemas.ts';
import { verb } from '../../platform/http/verbs.ts';
import { readPagination, paginationView } from '../../platform/http/views.ts';
import { auditCsv, listAuditEntries } from './audit.ts';

const several = (description: string, example: string) =>
  Type.Optional(
    Type.Array(Type.String({ maxLength: 300 }), { maxItems: 100, description, examples: [[example]] }),
  );
const AuditQuery = Type.Object({
  kind: several('only actions with this part before the dot', 'member'),
  actor: several('only by these', 'session of mona@acme.example'),
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
});

export const auditVerbs = [
  verb({
    name: 'audit-log list',
    at: 'GET /audit-log',
    access: { scope: 'admin', role: 'admin' },
    tag: 'Organization',
    title: 'List who changed what',
    description:
      'Lists entries, newest first. With `Accept: text/csv` the response is a CSV file with the newest 10,000 entries, without pages.',
    query: AuditQuery,
    answer: pageOf(AuditEntrySchema),
    isWhole: true,
    csv: {
      title: 'Entries',
      example: 'created_at,actor,action,target,details',
      file: async (ctx, { query }) => ({ name: 'audit-log', text: await auditCsv(ctx, query) }),
    },
    run: async (ctx, { query }) => {
      const page = readPagination(query);
      const { entries, total } = await listAuditEntries(ctx, query, page);
      const data = entries.map(({ createdAt, details, id, actor, action, target }) => ({
        id,
        created_at: createdAt,
        actor,
        action,
        target,
        details: details as Record<string, unknown>,
      }));
      return { data, pagination: paginationView(page, total) };
    },
  }),
];
