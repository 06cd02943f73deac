import type { ReactNode } from 'react';
import { Boundary } from '../ui/Boundary.tsx';
import { Failed } from '../ui/Loaded.tsx';
import { PageTitle } from '../ui/Panel.tsx';

/** How Chrome, Firefox and Safari report that a file of the page failed to load. */
const notLoaded = /dynamically imported module|importing a module script failed|unable to preload/i;

export function PageBoundary({ path, children }: { path: string; children: ReactNode }) {
  return (
    <Boundary
      resetKey={path}
      onError={() => void reloadIfUpdated()}
      fallback={(error) => (
        <>
          <PageTitle title="This page failed to load" />
          <Failed error={inWords(error)} retry={() => location.reload()} />
        </>
      )}
    >
      {children}
    </Boundary>
  );
}

function inWords(error: Error): Error {
  if (!notLoaded.test(error.message)) return error;
  return new Error('Part of this page failed to load. The server is unreachable or was updated.');
}

const storageKey = 'runcost-reloaded-from';

/** Reloads the page after an update of the server, because old script files may be gone. */
async function reloadIfUpdated(): Promise<void> {
  const script = document.querySelector('script[type="module"][src]')?.getAttribute('src');
  const answer = await fetch('/', { headers: { accept: 'text/html' }, cache: 'no-store' }).catch(() => null);
  if (!script || !answer?.ok || (await answer.text()).includes(script)) return;
  // Only once per build, or a cached old page would reload forever.
  if (sessionStorage.getItem(storageKey) === script) return;
  sessionStorage.setItem(storageKey, script);
  location.reload();
}
