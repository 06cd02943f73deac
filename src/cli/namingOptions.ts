import { PublicError } from '../platform/lib/errors.ts';

/** Errors of the work name the options where the API would name fields: these, and others by their own names. */
export async function namingOptions<T>(
  work: () => Promise<T>,
  options: Record<string, string> = {},
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    const named = Object.entries(options).reduce(
      (text, [field, option]) => text.replaceAll(field, option),
      error.message,
    );
    const message = named.replaceAll(/\b(?:body|query)\./g, '--').replaceAll('`to`', '--to');
    throw new PublicError(error.kind, error.code, message, error.errors);
  }
}
