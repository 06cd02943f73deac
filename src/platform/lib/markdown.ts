import { oneLine } from './text.ts';

/** As code: nothing in it is a link, a mention, HTML or the end of a cell. Backticks become apostrophes. */
export function codeOf(name: string): string {
  const text = oneLine(name).replaceAll('`', "'").replaceAll('|', '\\|');
  return text === '' ? '–' : `\`${text}\``;
}

/** A sentence with names from other people that could format, link or mention is shown as code. */
export function harmless(sentence: string): string {
  return /[^\p{L}\p{N} .,:;'$%/()+=–−→-]|www\.|:\/\//iu.test(sentence) ? codeOf(sentence) : sentence;
}

/** The cells are already markdown. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
