import { Type } from 'typebox';
import { idParams } from '../../platform/http/schemas.ts';
import { deletes, verb } from '../../platform/http/verbs.ts';
import { importCosts, importView } from './importCosts.ts';
import { createPool, deletePool, listPools, poolView, updatePool } from './pools.ts';
import { ImportBody, ImportSchema, NewPoolBody, PoolChangesBody, PoolSchema } from './schema.ts';

const sampleId = 'pool_3b7f1d9c5a2e8046b3f9';
const params = idParams(sampleId);
const tag = 'Runner pools';
const write = { tag, access: { scope: 'admin', role: 'admin' } } as const;

/** About 100,000 lines of a FOCUS file. */
const maxFileBytes = 32 * 1024 * 1024;

export const poolVerbs = [
  verb({
    tag,
    access: { scope: 'costs:read', role: 'viewer' },
    name: 'runner-pool list',
    at: 'GET /runner-pools',
    title: 'List the runner pools',
    page: '/settings/pricing',
    description:
      'Your own runners and what they cost, in the order in which they are tried: a job belongs to the first pool that ' +
      'matches it. The metric `full_cost` spreads their cost over jobs.',
    answer: Type.Array(PoolSchema),
    columns: [['id', 'pool'], 'name', 'match', 'pattern', 'periods', ['imported.cost', 'imported']],
    run: async ({ db, actor }) => (await listPools(db, actor.orgId)).map(poolView),
  }),
  verb({
    ...write,
    name: 'runner-pool create',
    at: 'POST /runner-pools',
    title: 'Create a runner pool',
    description: 'It changes the full cost of recorded jobs, too. List cost stays 0. At most 200 pools.',
    body: NewPoolBody,
    status: 201,
    answer: PoolSchema,
    faults: [409],
    run: async (ctx, { body }) => poolView(await createPool(ctx, body)),
  }),
  verb({
    ...write,
    name: 'runner-pool update',
    at: 'PUT /runner-pools/:id',
    title: 'Change a runner pool',
    description: 'Changes the given fields; `periods` replaces all periods.',
    params,
    body: PoolChangesBody,
    answer: PoolSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id }, body }) => poolView(await updatePool(ctx, id, body)),
  }),
  verb({
    ...write,
    name: 'runner-pool delete',
    at: 'DELETE /runner-pools/:id',
    title: 'Delete a runner pool',
    description: 'With its imported amounts.',
    ...deletes(sampleId, deletePool),
    faults: [404],
  }),
  verb({
    ...write,
    name: 'runner-pool import',
    at: 'POST /runner-pools/import',
    title: 'Import what runner pools cost',
    description:
      'From a CSV file, all or nothing: a file with a fault is refused with 400, and `errors` names each line and column. An ' +
      'amount is divided evenly over its days, and replaces what was imported for the same pool and days. The same file ' +
      'again changes nothing. Of a FOCUS file, it takes the `EffectiveCost` (else `BilledCost`) of resources that pools name.',
    body: ImportBody,
    maxBodyBytes: maxFileBytes,
    answer: ImportSchema,
    columns: ['name', ['first_day', 'from'], ['last_day', 'to'], 'cost', ['changed_days', 'changed days']],
    faults: [413],
    run: async (ctx, { body }) => importView(await importCosts(ctx, body.csv, body.dry_run ?? false)),
  }),
];
