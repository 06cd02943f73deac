import { verbsWith } from '../../platform/http/verbs.ts';
import { paginationView, readPagination } from '../../platform/http/views.ts';
import { onPage } from '../../platform/lib/lists.ts';
import { getMoves, type MovesContext } from './getMoves.ts';
import { movesDescription, MovesQuery, MovesSchema } from './schema.ts';
import { movesView } from './views.ts';

const verb = verbsWith<MovesContext>();

export const moveVerbs = [
  verb({
    tag: 'Moves',
    access: { scope: 'costs:read', role: 'viewer' },
    name: 'move list',
    at: 'GET /moves',
    title: 'List moves to other runners, and whether they pay',
    description: movesDescription,
    page: '/waste',
    assistant: true,
    query: MovesQuery,
    answer: MovesSchema,
    rows: 'data.moves',
    columns: [
      'state',
      ['from.title', 'from'],
      ['to.title', 'to'],
      'minutes',
      ['cost_now', 'now'],
      ['cost_then', 'then'],
      ['saving_per_month', 'saves'],
      ['break_even', 'break even'],
    ],
    isWhole: true,
    isCached: true,
    run: async (ctx, { query }) => {
      const page = readPagination(query);
      const { days, workflow_id: workflowId, repo, state } = query;
      const found = await getMoves(ctx, {
        days,
        workflowId: workflowId || undefined,
        repo: repo || undefined,
      });
      const listed = found.moves.filter((move) => state === undefined || move.state === state);
      return {
        data: movesView(found, onPage(listed, page)),
        pagination: paginationView(page, listed.length),
      };
    },
  }),
];
