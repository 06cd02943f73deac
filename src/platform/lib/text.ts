import { createRequire } from 'node:module';

/**
 * A regular expression, as text, for a character that can be seen: no space, control character, or one that Unicode
 * means to be ignored. In code units and without flags, so that every reader of our API's description can use it.
 */
export const visibleCharacter = String.raw`[^\s\u0000-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8]`;

/**
 * Likewise, for a character that no name may hold: control characters and line breaks, which could start a line or a
 * command of their own, and those that turn the direction of the text around them.
 */
export const controlCharacter = String.raw`[\u0000-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]`;

const unreportable = String.raw`\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069`;

/** Likewise, for a text that a CI system reports: tabs and line breaks are part of some names. */
export const reportedText = `^[^${unreportable}]*$`;

const visible = new RegExp(visibleCharacter, 'u');
const control = new RegExp(controlCharacter, 'u');
const unreportables = new RegExp(`[${unreportable}]`, 'gu');

/** Whether nothing of the text can be seen. */
export function isBlank(text: string): boolean {
  return !visible.test(text);
}

export const blankName = 'must not be blank';
export const controlInName = 'must hold no line breaks, control characters or marks of text direction';

export const controlInText = 'must hold no control characters or marks of text direction';

/** What keeps the text from being a name, whatever its length; null where nothing does. */
export function faultOfName(text: string): string | null {
  if (isBlank(text)) return blankName;
  return control.test(text) ? controlInName : null;
}

/** A name that a CI system reports: each character that cannot be in `reportedText`, or be stored, is U+FFFD. */
export function reportedName(text: string): string {
  return text.toWellFormed().replace(unreportables, '\uFFFD');
}

/**
 * The text on one line: no line breaks, which could start a header or a line of their own, no other control characters,
 * and none that is invisible or turns the direction of the text around it. What only chooses the look of the character
 * before it, as emoji have it, stays.
 */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Default_Ignorable_Code_Point}--\p{Variation_Selector}]/gv, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

const require = createRequire(import.meta.url);

/** Whether mail can be addressed to it, also with letters beyond ASCII; none with spaces or invisible characters. */
export function isEmail(text: string): boolean {
  // Loaded when first needed, since most commands check no address and should start fast.
  const formats = require('typebox/format') as { IsIdnEmail: (text: string) => boolean };
  return formats.IsIdnEmail(text) && text === oneLine(text) && !text.includes(' ');
}

/** Whether PostgreSQL can keep the text as it is: it takes neither U+0000 nor half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** The name that a mistyped or shortened word is likely to mean; undefined where none is near. */
export function nearestOf(word: string, names: readonly string[]): string | undefined {
  return names
    .map((name) => ({
      name,
      distance: word.length > 1 && name.startsWith(word) ? 0 : editDistance(word, name),
    }))
    .filter(({ name, distance }) => distance <= Math.max(2, name.length / 2))
    .toSorted((a, b) => a.distance - b.distance)[0]?.name;
}

/** Levenshtein distance: how many letters must be put in, taken out or changed. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const change = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, change));
    }
    row = next;
  }
  return row[to.length]!;
}
