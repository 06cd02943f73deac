import { InvalidArgumentError } from 'commander';
import { isBlank } from '../lib/text.ts';

const longestName = 255;

/** A name given as an option; commander tells what is wrong with it. */
export function readName(text: string): string {
  if (isBlank(text)) throw new InvalidArgumentError('It must not be blank.');
  if (text.length > longestName)
    throw new InvalidArgumentError(`It must have at most ${longestName} characters.`);
  return text;
}
