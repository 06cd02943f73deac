/**
 * Matches paths of `include: local`: `*` matches within a name, `**` any text. Only the last of each is tried
 * again, which limits the time. Imports nothing, because the GitLab CI job runs it without packages.
 */
export function includeTest(pattern: string): (path: string) => boolean {
  const tokens = pattern.match(/\*+|[^*]/g) ?? [];
  const start = pattern.indexOf('*');
  if (start === -1) return (path) => path === pattern;
  const [prefix, suffix] = [pattern.slice(0, start), pattern.slice(pattern.lastIndexOf('*') + 1)];
  return (path) => path.startsWith(prefix) && path.endsWith(suffix) && matches(tokens, path);
}

type Retry = { token: number; at: number };

function matches(tokens: readonly string[], path: string): boolean {
  let [token, at] = [0, 0];
  let one = null as Retry | null;
  let any = null as Retry | null;
  /** End of the text between `**` and the first `*` after it. */
  let firstEnd = -1;
  while (at < path.length || token < tokens.length) {
    const next = tokens[token];
    if (next !== undefined && next.startsWith('*')) {
      token++;
      if (next === '*') {
        if (one === null) firstEnd = at;
        one = { token, at };
      } else [any, one] = [{ token, at }, null];
    } else if (at === path.length) return false;
    else if (next === path[at]) {
      token++;
      at++;
    } else if (one !== null && path[one.at] !== '/') {
      one.at++;
      ({ token, at } = one);
    } else if (any !== null) {
      // Before the next slash, a later start could only match less.
      const slash = one === null ? -1 : path.indexOf('/', firstEnd);
      if (one !== null && slash === -1) return false;
      const length = firstEnd - any.at;
      any.at = one === null ? any.at + 1 : Math.max(any.at + 1, slash + 1 - length);
      one = null;
      ({ token, at } = any);
    } else return false;
  }
  return true;
}
