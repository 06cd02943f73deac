import { createRequire } from 'node:module';

/** As text, in code units and without flags, so that any reader of our API document can use it. */
export const visibleCharacter = String.raw`[^\s\u0000-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8]`;

/** What no name may contain: control characters, line breaks, and changes of the text's direction. */
export const controlCharacter = String.raw`[\u0000-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]`;

const unreportable = String.raw`\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069`;

/** Hashes, and the numbers and names of other systems, that are safe within a URL. */
export const revisionName = '^(?!\\.+$)[\\w.:@+-]{1,100}$';

export const addressQuery = '^[\\x21-\\x7e]*$';

/** `owner/name` of a repository, or with more groups before the name. `.` and `..` would lead to another place of an API. */
export const repositoryName = /^(?!(.*\/)?\.\.?(\/|$))[^\s/]+(\/[^\s/]+)+$/;

/** Of a file that GitHub starts. */
export const workflowPath = String.raw`^\.github/workflows/[^/\u0000-\u001f]{1,200}\.ya?ml$`;

/** A text that a provider reports. Some names contain tabs and line breaks. */
export const reportedText = `^[^${unreportable}]*$`;

const visible = new RegExp(visibleCharacter, 'u');
const control = new RegExp(controlCharacter, 'u');
const unreportables = new RegExp(`[${unreportable}]`, 'gu');

export function isBlank(text: string): boolean {
  return !visible.test(text);
}

export const blankName = 'must not be blank';
export const controlInName = 'must not contain line breaks, control characters or marks of text direction';

export const controlInText = 'must not contain control characters or marks of text direction';

export function faultOfName(text: string): string | null {
  if (isBlank(text)) return blankName;
  return control.test(text) ? controlInName : null;
}

/** With U+FFFD for characters that `reportedText` excludes or that cannot be stored. */
export function reportedName(text: string): string {
  return text.toWellFormed().replace(unreportables, '\uFFFD');
}

/** Without control and invisible characters, but for those that choose a look, as in emoji. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Default_Ignorable_Code_Point}--\p{Variation_Selector}]/gv, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/**
 * Equal for names that look the same, whatever their case, spaces and invisible characters. Also for all that `lower` of
 * PostgreSQL makes equal, such as İ and i, so that its unique indexes refuse nothing else.
 */
export function looksOf(name: string): string {
  return oneLine(name).normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().replaceAll('i\u0307', 'i');
}

const require = createRequire(import.meta.url);

/** Letters beyond ASCII are fine; spaces, quotes, angle brackets and invisible characters are not. */
export function isEmail(text: string): boolean {
  // Loaded at first use, so that commands without addresses start fast.
  const formats = require('typebox/format') as { IsIdnEmail: (text: string) => boolean };
  return formats.IsIdnEmail(text) && text === oneLine(text) && !/[ "<>]/.test(text);
}

/** Whether PostgreSQL can store the text: it takes neither U+0000 nor half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

export function nearestOf(word: string, names: readonly string[]): string | undefined {
  return names
    .map((name) => ({
      name,
      distance: word.length > 1 && name.startsWith(word) ? 0 : editDistance(word, name),
    }))
    .filter(({ name, distance }) => distance < name.length && distance <= Math.max(2, name.length / 2))
    .toSorted((a, b) => a.distance - b.distance)[0]?.name;
}

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

/** `*` stands for any characters. It takes linear time, unlike a regular expression. */
export function globOf(pattern: string): (text: string) => boolean {
  const [start, ...parts] = pattern.split('*') as [string, ...string[]];
  const end = parts.pop();
  if (end === undefined) return (text) => text === pattern;
  return (text) => {
    if (!text.startsWith(start)) return false;
    let at = start.length;
    for (const part of parts) {
      const found = text.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return text.length - end.length >= at && text.endsWith(end);
  };
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML and SVG, also within attributes. */
export function escapeMarkup(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character]!);
}

/** `1 job`, `1,200 jobs`, `2 repositories`. */
export function countOf(count: number, unit: string): string {
  const units = /[^aeou]y$/.test(unit) ? `${unit.slice(0, -1)}ies` : `${unit}s`;
  return `${count.toLocaleString('en-US')} ${count === 1 ? unit : units}`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
