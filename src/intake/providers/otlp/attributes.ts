import { invalid } from '../../../platform/lib/errors.ts';
import { faultOfName, isStorable } from '../../../platform/lib/text.ts';
import type { Attributes, OtlpSpan } from './spans.ts';

export const longestText = 1_024;
const longestId = 200;

/** A span with its resource's attributes. At the top is one whose parent is none of the same resource. */
export type Seen = { span: OtlpSpan; resource: Attributes; isTop: boolean };

/** The first of the attributes that the span, or else its resource, has; null where none is there. */
export function told({ span, resource }: Seen, keys: readonly string[]): string | null {
  for (const key of keys) {
    const text = textOf(span.attributes, [key]) ?? textOf(resource, [key]);
    if (text !== null) return checked(key, text, longestText);
  }
  return null;
}

/** The first of the attributes that is there as text and not empty. */
export function textOf(attributes: Attributes, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = attributes.get(key);
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

/** Throws `PublicError` for a text that is too long. */
export function checked(field: string, text: string, longest: number): string {
  if (text.length > longest) throw invalid(field, `must have at most ${longest} characters`);
  return text;
}

/** Throws `PublicError` for what cannot be an id. Nothing in one is replaced: two ids could become the same. */
export function checkedId(field: string, text: string): string {
  const fault = isStorable(text)
    ? faultOfName(text)
    : 'must contain neither U+0000 nor half of a surrogate pair';
  if (fault) throw invalid(field, fault);
  return checked(field, text, longestId);
}
