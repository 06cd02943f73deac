export type Page = { page: number; perPage: number };

export function rowsOf({ page, perPage }: Page): { limit: number; offset: number } {
  return { limit: perPage, offset: (page - 1) * perPage };
}

export function onPage<T>(items: readonly T[], page: Page): T[] {
  const { limit, offset } = rowsOf(page);
  return items.slice(offset, offset + limit);
}
