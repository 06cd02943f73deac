/**
 * Whether a path is one that `include: local` names: `*` stands for a part of a name, and `**` for any folders. Linear,
 * because the pieces are found one after another. Imports nothing: the job of GitLab CI runs it without packages.
 */
export function includeTest(pattern: string): (path: string) => boolean {
  if (!pattern.includes('*')) return (path) => path === pattern;
  const isDeep = pattern.includes('**');
  const pieces = pattern.split(/\*+\/?/);
  return (path) => {
    if (!path.startsWith(pieces[0]!) || !path.endsWith(pieces.at(-1)!)) return false;
    let at = 0;
    for (const piece of pieces) {
      const found = path.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return isDeep || path.split('/').length === pattern.split('/').length;
  };
}
