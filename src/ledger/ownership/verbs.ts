import { csvType } from '../../platform/http/csv.ts';
import { idParams, PageQuery } from '../../platform/http/schemas.ts';
import { verb } from '../../platform/http/verbs.ts';
import { answerPage } from '../../platform/http/views.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { exportRules } from './ruleFile.ts';
import { createRule, deleteRule, getRule, listRules, updateRule } from './rules.ts';
import { Deleted, NewRuleBody, RuleChangesBody, RuleFile, RuleSchema, RulesSchema } from './schema.ts';

const params = idParams('own_5d1f7a3c9e2b8046a1c8');

const tag = 'Ownership';
const read = { tag, access: { scope: 'costs:read', role: 'viewer' } } as const;
const write = { tag, access: { scope: 'admin', role: 'admin' } } as const;

export const ownershipVerbs = [
  verb({
    ...read,
    name: 'ownership rule list',
    at: 'GET /ownership/rules',
    title: 'List the ownership rules',
    page: '/settings/owners',
    description:
      'In the order in which they are tried: those that people wrote, then those imported from custom ' +
      'properties and from CODEOWNERS files. The first match gives the team, and the first match gives the ' +
      'cost center.',
    query: PageQuery,
    answer: RulesSchema,
    isWhole: true,
    columns: [
      ['id', 'rule'],
      ['position', 'order'],
      'owner',
      'kind',
      'repository',
      'workflow',
      'label',
      ['valid_from', 'from'],
      ['valid_until', 'until'],
      'source',
    ],
    run: (ctx, { query }) => answerPage(query, (page) => listRules(ctx, page), apiFields),
  }),
  verb({
    ...write,
    name: 'ownership rule create',
    at: 'POST /ownership/rules',
    title: 'Create an ownership rule',
    description:
      'Maps what it matches to a team or a cost center. A rule has at least one pattern, and a job must match ' +
      'all of them. In a pattern, `*` stands for any characters, and `=` at its start takes the rest literally. At ' +
      'most 10,000 rules. A rule that would never apply, because an earlier one has the same patterns on all ' +
      'its days, is refused with 409 `ownership_rule_exists`.',
    body: NewRuleBody,
    status: 201,
    answer: RuleSchema,
    faults: [409],
    run: async (ctx, { body }) => apiFields(await createRule(ctx, body)),
  }),
  verb({
    ...read,
    name: 'ownership rule get',
    at: 'GET /ownership/rules/:id',
    title: 'Get an ownership rule',
    params,
    answer: RuleSchema,
    faults: [404],
    run: async (ctx, { params: { id } }) => apiFields(await getRule(ctx, id)),
  }),
  verb({
    ...write,
    name: 'ownership rule update',
    at: 'PUT /ownership/rules/:id',
    title: 'Change an ownership rule',
    description:
      'Changes the given fields; null removes a pattern or a day. An imported rule cannot be changed (409 ' +
      '`imported_rule`): add one of your own, which comes first.',
    params,
    body: RuleChangesBody,
    answer: RuleSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id }, body }) => apiFields(await updateRule(ctx, id, body)),
  }),
  verb({
    ...write,
    name: 'ownership rule delete',
    at: 'DELETE /ownership/rules/:id',
    title: 'Delete an ownership rule',
    params,
    answer: Deleted,
    isWhole: true,
    faults: [404],
    run: async (ctx, { params: { id } }) => {
      await deleteRule(ctx, id);
      return { message: 'The ownership rule has been deleted.' };
    },
  }),
  verb({
    ...read,
    name: 'ownership rule export',
    at: 'GET /ownership/csv',
    title: 'Download the ownership rules as CSV',
    description: 'The rules that people wrote, in their order. You can edit the file and send it back.',
    answer: RuleFile,
    text: { title: 'Rules', contentType: csvType, file: 'ownership.csv' },
    run: exportRules,
  }),
];
