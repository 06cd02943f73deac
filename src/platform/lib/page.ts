/** A page of a list, counted from 1. */
export type Page = { page: number; perPage: number };

/** Which rows of the list are on the page. */
export function rowsOf({ page, perPage }: Page): { limit: number; offset: number } {
  return { limit: perPage, offset: (page - 1) * perPage };
}

/** Those of the items that are on the page. */
export function onPage<T>(items: readonly T[], page: Page): T[] {
  const { limit, offset } = rowsOf(page);
  return items.slice(offset, offset + limit);
}
