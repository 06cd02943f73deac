import { fit } from './wording.ts';

/** Maximum characters of a name or sentence. Five workflows then fit into every limit. */
export const maxNameLength = 100;
export const maxSentenceLength = 600;
export const maxCauseLength = 200;
export const maxItemLength = 200;

export const asIs = (text: string): string => text;

export function causeText(cause: string | undefined, escape: (text: string) => string): string {
  return cause ? `\n    ${fit(cause, maxCauseLength, escape)}` : '';
}

/** Encodes the characters that would end a link in the chats' markup. */
export function linkTarget(url: string): string {
  return url.replaceAll('|', '%7C').replaceAll('(', '%28').replaceAll(')', '%29');
}
