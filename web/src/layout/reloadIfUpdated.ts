const storageKey = 'runcost-reloaded-from';

/** Reloads the page after an update of the server, because old script files may be gone. */
export async function reloadIfUpdated(): Promise<void> {
  const script = document.querySelector('script[type="module"][src]')?.getAttribute('src');
  const answer = await fetch('/', { headers: { accept: 'text/html' }, cache: 'no-store' }).catch(() => null);
  if (!script || !answer?.ok || (await answer.text()).includes(script)) return;
  // Only once per build, or a cached old page would reload forever.
  if (sessionStorage.getItem(storageKey) === script) return;
  sessionStorage.setItem(storageKey, script);
  location.reload();
}
