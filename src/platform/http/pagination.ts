import type { Static } from 'typebox';
import type { Page } from '../lib/page.ts';
import type { Pagination } from './schemas.ts';

const mostPerPage = 100;

/** The page asked for, with the page size that will be used. */
export function pageAsked(query: { page: number; per_page: number }): Page {
  return { page: query.page, perPage: Math.min(query.per_page, mostPerPage) };
}

/** What stands beside a page of a list that has so many items in all. */
export function paginationView({ page, perPage }: Page, total: number): Static<typeof Pagination> {
  return { total, page, per_page: perPage };
}
