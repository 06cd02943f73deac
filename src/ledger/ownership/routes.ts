import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { idParams, PageQuery, responses } from '../../platform/http/schemas.ts';
import { pageAsked, paginationView } from '../../platform/http/views.ts';
import { createRule, deleteRule, getRule, listRules, ruleView, updateRule } from './rules.ts';
import { Deleted, NewRuleBody, RuleChangesBody, RuleSchema, RulesSchema } from './schema.ts';

const params = idParams('own_5d1f7a3c9e2b8046a1c8');

const tags = ['Ownership'];
const reader = { access: { scope: 'costs:read', role: 'viewer' } } as const;
const admin = { access: { scope: 'admin', role: 'admin' } } as const;

export const ownershipRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.register(manyRules);
  server.register(oneRule);
  done();
};

const manyRules: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.get(
    '/ownership/rules',
    {
      config: reader,
      schema: {
        tags,
        summary: 'List the ownership rules',
        description:
          'In the order in which they are tried: those that people wrote, then those imported from custom ' +
          'properties and from CODEOWNERS files. The first match gives the team, and the first match gives the ' +
          'cost center.',
        querystring: PageQuery,
        response: responses(200, RulesSchema),
      },
    },
    async (request) => {
      const asked = pageAsked(request.query);
      const { rules, total } = await listRules(request.ctx, asked);
      return { data: rules.map(ruleView), pagination: paginationView(asked, total) };
    },
  );

  server.post(
    '/ownership/rules',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Create an ownership rule',
        description:
          'Maps what it matches to a team or a cost center. A rule has at least one pattern, and a job must match ' +
          'all of them. In a pattern, `*` is any characters, and `=` at its start takes the rest literally. At ' +
          'most 10,000 rules. A rule that would never apply, because an earlier one has the same patterns on all ' +
          'its days, is refused with 409 `ownership_rule_exists`.',
        body: NewRuleBody,
        response: responses(201, RuleSchema, [409]),
      },
    },
    async (request, reply) =>
      reply.status(201).send({ data: ruleView(await createRule(request.ctx, request.body)) }),
  );
  done();
};

const oneRule: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.get(
    '/ownership/rules/:id',
    {
      config: reader,
      schema: { tags, summary: 'Get an ownership rule', params, response: responses(200, RuleSchema, [404]) },
    },
    async (request) => ({ data: ruleView(await getRule(request.ctx, request.params.id)) }),
  );

  server.put(
    '/ownership/rules/:id',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Change an ownership rule',
        description:
          'Changes the given fields; null removes a pattern or a day. An imported rule cannot be changed (409 ' +
          '`imported_rule`): add one of your own, which comes first.',
        params,
        body: RuleChangesBody,
        response: responses(200, RuleSchema, [404, 409]),
      },
    },
    async (request) => ({ data: ruleView(await updateRule(request.ctx, request.params.id, request.body)) }),
  );

  server.delete(
    '/ownership/rules/:id',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Delete an ownership rule',
        params,
        response: responses(200, Deleted, [404]),
      },
    },
    async (request) => {
      await deleteRule(request.ctx, request.params.id);
      return { message: 'The ownership rule has been deleted.' };
    },
  );
  done();
};
