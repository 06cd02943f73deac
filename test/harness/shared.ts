import { after } from 'node:test';

type Closable = { close: () => Promise<unknown> };

const opened = new Map<string, Promise<Closable>>();

/**
 * Opens what the test files of a process can share, such as a browser. The runner's workers close it at their end; a file
 * that runs alone closes it itself.
 */
export async function shared<Opened extends Closable>(
  name: string,
  open: () => Promise<Opened>,
): Promise<Opened> {
  let found = opened.get(name) as Promise<Opened> | undefined;
  if (!found) {
    found = open();
    opened.set(name, found);
    found.catch(() => opened.delete(name));
    if (!process.env.TEST_FOLDER) after(closeShared);
  }
  // A promise of this call: node:test takes what follows another file's promise for a part of that file.
  return await found;
}

export async function closeShared(): Promise<void> {
  for (const each of opened.values()) await (await each).close();
  opened.clear();
}
