import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { dataOf, responses } from '../../platform/http/schemas.ts';
import { importRules, importView } from './ruleFile.ts';
import { ImportQuery, ImportSchema, RuleFileBody } from './schema.ts';

/** Enough for 10,000 rules. */
const maxFileBytes = 4 * 1024 * 1024;

export const ruleFileRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.removeAllContentTypeParsers();
  const asText = { parseAs: 'string', bodyLimit: maxFileBytes } as const;
  server.addContentTypeParser('text/csv', asText, (_request, body, parsed) => parsed(null, body));

  server.put(
    '/ownership/csv',
    {
      config: { access: { scope: 'admin', role: 'admin' } },
      schema: {
        tags: ['Ownership'],
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
        response: responses(200, dataOf(ImportSchema), [409, 413, 415]),
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
