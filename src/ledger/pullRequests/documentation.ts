import { posix } from 'node:path';

/** Our choice of 2026-11-30, as GitHub's filters of paths write them. Folders can have any files. */
export const documentationPaths = ['**/*.md', '**/*.rst', '**/*.adoc', 'docs/**', 'LICENSE*'] as const;

/** Texts in `.github` can be instructions and templates that something reads. */
export function isDocumentation(path: string): boolean {
  return !path.startsWith('.github/') && documentationPaths.some((each) => posix.matchesGlob(path, each));
}
