/** For options that can be repeated. */
export function collect(text: string, before: readonly string[]): string[] {
  return [...before, text];
}
