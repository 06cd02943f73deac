import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { idParams, PageQuery, responses } from '../../platform/http/schemas.ts';
import { readPagination, paginationView } from '../../platform/http/views.ts';
import { exportRules, importRules, importView } from './ruleFile.ts';
import { createRule, deleteRule, getRule, listRules, ruleView, updateRule } from './rules.ts';
import {
  Deleted,
  ImportQuery,
  ImportSchema,
  NewRuleBody,
  RuleChangesBody,
  RuleFile,
  RuleFileBody,
  RuleSchema,
  RulesSchema,
} from './schema.ts';

const params = idParams('own_5d1f7a3c9e2b8046a1c8');

const tags = ['Ownership'];
const reader = { access: { scope: 'costs:read', role: 'viewer' } } as const;
const admin = { access: { scope: 'admin', role: 'admin' } } as const;

export const ownershipRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.register(manyRules);
  server.register(oneRule);
  server.register(ruleFile);
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
      const page = readPagination(request.query);
      const { rules, total } = await listRules(request.ctx, page);
      return { data: rules.map(ruleView), pagination: paginationView(page, total) };
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
          'all of them. In a pattern, `*` stands for any characters, and `=` at its start takes the rest literally. At ' +
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

/** Enough for 10,000 rules. */
const maxFileBytes = 4 * 1024 * 1024;

const ruleFile: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.removeAllContentTypeParsers();
  const asText = { parseAs: 'string', bodyLimit: maxFileBytes } as const;
  server.addContentTypeParser('text/csv', asText, (_request, body, parsed) => parsed(null, body));

  server.get(
    '/ownership/csv',
    {
      config: reader,
      schema: {
        tags,
        summary: 'Download the ownership rules as CSV',
        description: 'The rules that people wrote, in their order. You can edit the file and send it back.',
        response: {
          ...responses(200, RuleFile),
          200: { description: 'Rules', content: { 'text/csv': { schema: RuleFile } } },
        },
      },
    },
    async (request, reply) =>
      reply
        .type('text/csv; charset=utf-8; header=present')
        .header('content-disposition', 'attachment; filename="runcost-ownership.csv"')
        .send(await exportRules(request.ctx)),
  );

  server.put(
    '/ownership/csv',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Replace the ownership rules by a CSV file',
        description:
          'Replaces the rules that people wrote, all or nothing; imported rules stay. The columns `kind` and `owner` are ' +
          'required, and at least one of `repository`, `workflow` and `label`; `valid_from` and `valid_until` may ' +
          'follow. The lines are in the order in which the rules are tried. A file with a fault is refused with 400, ' +
          'and `errors` names each line and field. `dry_run=true` says what would change. A file with a heading only is refused ' +
          'unless `remove_all=true` confirms it. Cells are separated by commas, semicolons or tabs.',
        consumes: ['text/csv'],
        querystring: ImportQuery,
        body: RuleFileBody,
        response: responses(200, ImportSchema, [409, 413, 415]),
      },
    },
    async (request) => {
      const { dry_run: dryRun, remove_all: removeAll } = request.query;
      const imported = await importRules(request.ctx, request.body, { dryRun, removeAll });
      return { data: importView(imported) };
    },
  );
  done();
};
