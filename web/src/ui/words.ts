/** What somebody typed as a list, separated by commas, semicolons or spaces. */
export function wordsIn(text: string): string[] {
  return text.split(/[\s,;]+/).filter(Boolean);
}
