import { after } from 'node:test';

type Closable = { close: () => Promise<unknown> };

const opened = new Map<string, Promise<Closable>>();

/**
 * Opens a resource that the test files of a process share, such as a browser. The runner's workers close it at their end.
 * A file that runs alone closes it itself.
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
  // Without `await`, node:test would count what follows toward the file that created the promise.
  return await found;
}

export async function closeShared(): Promise<void> {
  for (const each of opened.values()) await (await each).close();
  opened.clear();
}
