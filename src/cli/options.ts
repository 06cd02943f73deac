import { InvalidArgumentError } from 'commander';
import { PublicError } from '../platform/lib/errors.ts';
import { faultOfName } from '../platform/lib/text.ts';

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

const maxLength = 255;

/** A name given as an option; commander says what is wrong with it. */
export function readName(text: string): string {
  const fault = faultOfName(text);
  if (fault) throw new InvalidArgumentError(`It ${fault}.`);
  if (text.length > maxLength)
    throw new InvalidArgumentError(`It must have at most ${maxLength} characters.`);
  return text;
}
