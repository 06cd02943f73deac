import { simplePage } from '../../platform/http/simplePage.ts';
import { escapeMarkup } from '../../platform/lib/text.ts';

/** Explains why a sign-in failed, and leads back. */
export function problemPage(status: number, detail: string): string {
  return simplePage(
    status === 403 ? 'You were not signed in' : 'The sign-in did not work',
    `<p>${escapeMarkup(detail)}</p><p><a href="/sign-in">Back to the sign-in page</a></p>`,
  );
}
