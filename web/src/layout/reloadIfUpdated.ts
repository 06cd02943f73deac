const noted = 'runcost-reloaded-from';

/** Loads the page again if the server has other files by now: those that this page names may be gone. */
export async function reloadIfUpdated(): Promise<void> {
  const script = document.querySelector('script[type="module"][src]')?.getAttribute('src');
  const answer = await fetch('/', { headers: { accept: 'text/html' }, cache: 'no-store' }).catch(() => null);
  if (!script || !answer?.ok || (await answer.text()).includes(script)) return;
  // Once from each build: where an old page comes again, it would never end.
  if (sessionStorage.getItem(noted) === script) return;
  sessionStorage.setItem(noted, script);
  window.location.reload();
}
