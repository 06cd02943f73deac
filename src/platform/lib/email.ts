import { createRequire } from 'node:module';
import { oneLine } from './text.ts';

const require = createRequire(import.meta.url);

/** Whether mail can be addressed to it, also with letters beyond ASCII; none with spaces or invisible characters. */
export function isEmail(text: string): boolean {
  // Loaded when first needed, since most commands check no address and should start fast.
  const formats = require('typebox/format') as { IsIdnEmail: (text: string) => boolean };
  return formats.IsIdnEmail(text) && text === oneLine(text) && !text.includes(' ');
}
