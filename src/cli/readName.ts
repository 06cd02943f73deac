import { InvalidArgumentError } from 'commander';
import { faultOfName } from '../platform/lib/text.ts';

const maxLength = 255;

/** A name given as an option; commander says what is wrong with it. */
export function readName(text: string): string {
  const fault = faultOfName(text);
  if (fault) throw new InvalidArgumentError(`It ${fault}.`);
  if (text.length > maxLength)
    throw new InvalidArgumentError(`It must have at most ${maxLength} characters.`);
  return text;
}
