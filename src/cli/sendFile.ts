import { readFile } from 'node:fs/promises';
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
  const body = await readFile(file).catch((error: Error) => {
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
