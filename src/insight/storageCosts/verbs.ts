import { verb } from '../../platform/http/verbs.ts';
import { paginationView, readPagination } from '../../platform/http/views.ts';
import { onPage } from '../../platform/lib/lists.ts';
import { StorageQuery, StorageSchema } from './schema.ts';
import { getStorage, storageView } from './storage.ts';

export const storageVerbs = [
  verb({
    tag: 'Storage',
    access: { scope: 'costs:read', role: 'viewer' },
    name: 'storage list',
    at: 'GET /storage',
    title: 'List what GitHub stores, by workflow',
    page: '/waste',
    assistant: true,
    description:
      'Artifacts by workflow and name, caches by key and ref: gigabyte-hours, list cost, what expires when, and what to ' +
      'change. Largest saving first. Expired artifacts are not billed. List cost is before the storage that plans include.',
    query: StorageQuery,
    answer: StorageSchema,
    rows: 'data.items',
    columns: [
      'repository',
      'workflow',
      'kind',
      'name',
      'gb',
      ['cost_per_month', 'a month'],
      ['saving_per_month', 'saves'],
      ['retention_days', 'days'],
    ],
    isWhole: true,
    run: async (ctx, { query }) => {
      const page = readPagination(query);
      const { repo, workflow_id: workflowId } = query;
      const storage = await getStorage(ctx, { repo: repo || undefined, workflowId: workflowId || undefined });
      return {
        data: storageView(storage, onPage(storage.priced, page)),
        pagination: paginationView(page, storage.priced.length),
      };
    },
  }),
];
