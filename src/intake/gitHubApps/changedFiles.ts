const perPage = 100;
export const maxFilesOf = (pages: number) => pages * perPage;

/** As GitHub lists the files that a pull request changes. */
export type ChangedFile = { filename?: unknown; previous_filename?: unknown; status?: unknown } | null;

/** What `ask` says of each page of files that a pull request changes, up to the last one or `maxPages`. */
export async function* changedFilePages<Page extends { files: number }>(
  number: number,
  maxPages: number,
  ask: (path: string, query: { per_page: number; page: number }) => Promise<Page>,
): AsyncGenerator<Page & { isLast: boolean }> {
  for (let page = 1; page <= maxPages; page++) {
    const asked = await ask(`/pulls/${number}/files`, { per_page: perPage, page });
    const isLast = asked.files < perPage;
    yield { ...asked, isLast };
    if (isLast) return;
  }
}
