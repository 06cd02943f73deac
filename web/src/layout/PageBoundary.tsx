import type { ReactNode } from 'react';
import { Boundary } from '../ui/Boundary.tsx';
import { Failed } from '../ui/Failed.tsx';
import { PageTitle } from '../ui/PageTitle.tsx';
import { reloadIfUpdated } from './reloadIfUpdated.ts';

/** As Chrome, Firefox and Safari say that a file of the page did not come. */
const notLoaded = /dynamically imported module|importing a module script failed|unable to preload/i;

/** What stays of a page that fails, and the page anew where it fails because the server has been updated. */
export function PageBoundary({ path, children }: { path: string; children: ReactNode }) {
  return (
    <Boundary
      resetKey={path}
      onError={() => void reloadIfUpdated()}
      fallback={(error) => (
        <>
          <PageTitle title="This page cannot be shown" />
          <Failed error={inWords(error)} retry={() => window.location.reload()} />
        </>
      )}
    >
      {children}
    </Boundary>
  );
}

function inWords(error: Error): Error {
  if (!notLoaded.test(error.message)) return error;
  return new Error(
    'A part of the page did not come. Either the server cannot be reached, or it was updated.',
  );
}
