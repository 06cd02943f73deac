import type { Static } from 'typebox';
import type { Page, Paged } from '../lib/lists.ts';
import type { TaskRow } from '../work/tasks.queries.ts';
import type { Pagination } from './schemas.ts';

const maxPerPage = 100;

export function readPagination(query: { page: number; per_page: number }): Page {
  return { page: query.page, perPage: Math.min(query.per_page, maxPerPage) };
}

export function paginationView({ page, perPage }: Page, total: number): Static<typeof Pagination> {
  return { total, page, per_page: perPage };
}

export async function answerPage<Row, View>(
  query: { page: number; per_page: number },
  list: (page: Page) => Promise<Paged<Row>>,
  view: (row: Row) => View,
) {
  const page = readPagination(query);
  const { rows, total } = await list(page);
  return { data: rows.map((row) => view(row)), pagination: paginationView(page, total) };
}

type Shown = Pick<TaskRow, 'status' | 'done' | 'total' | 'error' | 'createdAt' | 'startedAt' | 'endedAt'>;

export function taskView({ status, done, total, error, createdAt, startedAt, endedAt }: Shown) {
  return {
    status,
    progress: { done: Number(done), total: total === null ? null : Number(total) },
    error,
    created_at: createdAt,
    started_at: startedAt,
    ended_at: endedAt,
  };
}
