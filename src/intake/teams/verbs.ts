import { idParams, pageOf, PageQuery } from '../../platform/http/schemas.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { answerPage } from '../../platform/http/views.ts';
import type { BackfillProgram } from '../backfills/backfill.ts';
import { cancelImport, getImport, listImports, ownerImportView, startImport } from './ownerImport.ts';
import { NewImportBody, OwnerImportSchema } from './schema.ts';

const params = idParams('oimp_7a1c3e5f9b2d8046c4e1');

const tag = 'Ownership';
const read = { tag, access: { scope: 'admin', role: 'viewer' } } as const;
const write = { tag, access: { scope: 'admin', role: 'admin' } } as const;

const verb = verbsWith<VerbContext & BackfillProgram>();

export const ownerImportVerbs = [
  verb({
    ...write,
    name: 'ownership import start',
    at: 'POST /ownership/imports',
    title: 'Import owners from GitHub',
    description:
      'Reads the CODEOWNERS file of each recorded GitHub repository, or the custom properties of their ' +
      'organizations, with the credentials of a source. A new owner has the repository from today; earlier days ' +
      'keep the former owner. Rules that people wrote stay, and come first. The credentials need the permission ' +
      '"Contents: read", or "Custom properties: read" of the organization.',
    body: NewImportBody,
    status: 202,
    answer: OwnerImportSchema,
    run: async (ctx, { body }) => ownerImportView(await startImport(ctx, body), ctx.clock.now()),
  }),
  verb({
    ...write,
    name: 'ownership import cancel',
    at: 'POST /ownership/imports/:id/cancel',
    title: 'Cancel an import of owners',
    description: 'No rule changes, because rules are saved only after everything is read.',
    params,
    answer: OwnerImportSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id } }) => ownerImportView(await cancelImport(ctx, id), ctx.clock.now()),
  }),
  verb({
    ...read,
    name: 'ownership import get',
    at: 'GET /ownership/imports/:id',
    title: 'Get an import of owners',
    params,
    answer: OwnerImportSchema,
    faults: [404],
    run: async (ctx, { params: { id } }) => ownerImportView(await getImport(ctx, id), ctx.clock.now()),
  }),
  verb({
    ...read,
    name: 'ownership import list',
    at: 'GET /ownership/imports',
    title: 'List the imports of owners',
    description: 'Newest first.',
    query: PageQuery,
    answer: pageOf(OwnerImportSchema),
    isWhole: true,
    columns: [['id', 'import'], ['created_at', 'began'], 'from', 'status', ['found', 'owners'], 'error'],
    run: (ctx, { query }) => {
      const now = ctx.clock.now();
      return answerPage(
        query,
        (page) => listImports(ctx, page),
        (each) => ownerImportView(each, now),
      );
    },
  }),
];
