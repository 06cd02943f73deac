import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';

/** Creates a folder if it is missing. If several processes do so at once, the first one wins. */
export async function makeOnce(folder: string, make: (draft: string) => Promise<void>): Promise<string> {
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
