import { escapeMarkup } from '../../platform/lib/text.ts';

/** Explains why a sign-in failed, and leads back. */
export function problemPage(status: number, detail: string): string {
  const title = status === 403 ? 'You were not signed in' : 'The sign-in did not work';
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} · Runcost</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  main { max-width: 32rem; margin: 20vh auto 0; padding: 0 1rem; }
</style>
<main>
  <h1>${title}</h1>
  <p>${escapeMarkup(detail)}</p>
  <p><a href="/sign-in">Back to the sign-in page</a></p>
</main>
</html>
`;
}
