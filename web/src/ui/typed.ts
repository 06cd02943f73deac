/** What somebody typed as a list, separated by commas, semicolons or spaces. */
export function wordsIn(text: string): string[] {
  return text.split(/[\s,;]+/).filter(Boolean);
}

/** What people typed, without spaces around it, except where they count. */
export function trimmed<Values extends object>(values: Values, asTyped: readonly string[] = []): Values {
  const trim = ([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' && !asTyped.includes(name) ? value.trim() : value,
  ];
  return Object.fromEntries(Object.entries(values).map(trim)) as Values;
}

/** Only what differs, because someone else may have changed the rest. */
export function changesOf<Values extends object>(before: Values, after: Values): Partial<Values> {
  const isOther = ([name, value]: [string, unknown]) => {
    const saved: unknown = before[name as keyof Values];
    // A field returns numbers such as "2." and "05" as texts.
    const isNumber = typeof saved === 'number' && typeof value === 'string' && value !== '';
    return JSON.stringify(isNumber ? Number(value) : value) !== JSON.stringify(saved);
  };
  return Object.fromEntries(Object.entries(after).filter(isOther)) as Partial<Values>;
}
