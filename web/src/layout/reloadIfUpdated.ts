const storageKey = 'runcost-reloaded-from';

/** Reloads if the server has other files now: those that this page loads may be gone. */
export async function reloadIfUpdated(): Promise<void> {
  const script = document.querySelector('script[type="module"][src]')?.getAttribute('src');
  const answer = await fetch('/', { headers: { accept: 'text/html' }, cache: 'no-store' }).catch(() => null);
  if (!script || !answer?.ok || (await answer.text()).includes(script)) return;
  // Once per build, or an old page that comes back would reload forever.
  if (sessionStorage.getItem(storageKey) === script) return;
  sessionStorage.setItem(storageKey, script);
  location.reload();
}
