import { openAsBlob } from 'node:fs';
import { open } from 'node:fs/promises';
import { CommandError } from './faults.ts';
import { readAnswer, type Answer, type Session } from './session.ts';

type Sent = {
  method: 'POST' | 'PUT';
  /** Below `/api/v1`. */
  path: string;
  query: Record<string, string | undefined>;
  file: string;
};

/** Sends a CSV file as it is, and returns the data of the answer. */
export async function sendFile(session: Session, { method, path, query, file }: Sent): Promise<Answer> {
  const body = await openFile(file).catch((error: Error) => {
    throw new CommandError(`${file} cannot be read: ${error.message}`, 'usage');
  });
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, org_id: session.target().orgId ?? undefined }))
    if (value !== undefined) asked.set(name, value);
  // Other places are in the file.
  const optionOf = (place: string): string => (place in query ? `--${place.replaceAll('_', '-')}` : place);
  const response = await session.send({ method, path: `/api/v1${path}?${asked.toString()}`, body, optionOf });
  return (await readAnswer(response)).data;
}

/** Read while it is sent, because it can be larger than memory. A blob alone would not say why a file cannot be read. */
async function openFile(path: string): Promise<Blob> {
  const file = await open(path);
  try {
    await file.read(Buffer.alloc(1));
  } finally {
    await file.close();
  }
  return openAsBlob(path);
}
