/** What somebody typed as a list, separated by commas, semicolons or spaces. */
export function wordsIn(text: string): string[] {
  return text.split(/[\s,;]+/).filter(Boolean);
}

/** Only what differs, because someone else may have changed the rest. */
export function changesOf<Values extends object>(before: Values, after: Values): Partial<Values> {
  const isOther = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(before[name as keyof Values]);
  return Object.fromEntries(Object.entries(after).filter(isOther)) as Partial<Values>;
}
