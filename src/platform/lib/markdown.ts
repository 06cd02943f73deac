import { oneLine } from './text.ts';

/**
 * Formats a name from elsewhere as code, so that nothing in it is read as a link, a mention, HTML, or the end
 * of a table cell. A backtick would end the code, so it becomes an apostrophe.
 */
export function codeOf(name: string): string {
  const text = oneLine(name).replaceAll('`', "'").replaceAll('|', '\\|');
  return text === '' ? '–' : `\`${text}\``;
}

/**
 * Sentences may contain names from other people. If one could format, link or mention, it is shown as code.
 */
export function harmless(sentence: string): string {
  return /[^\p{L}\p{N} .,:;'$%/()+=–−→-]|www\.|:\/\//iu.test(sentence) ? codeOf(sentence) : sentence;
}

/** The cells are already markdown. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
