import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';

/** Makes a folder unless it is there. Of several processes that make it at the same time, the first one's is kept. */
export async function madeOnce(folder: string, make: (draft: string) => Promise<void>): Promise<string> {
  if (existsSync(folder)) return folder;
  const draft = mkdtempSync(`${folder}-`);
  await make(draft);
  try {
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
