import { MantineProvider } from '@mantine/core';
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { ApiError } from './api/client.ts';
import { followSession } from './api/session.ts';
import { announceSession } from './layout/announceSession.ts';
import { Hints } from './layout/Hints.tsx';
import { Pages } from './Pages.tsx';
import { readableColors, theme } from './theme.ts';

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
// The scroll lock behind dialogs writes its own style and reads its nonce from here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

// With the default (a timeout), React shows a clicked radio or switch in its old state for a moment.
notifyManager.setScheduler(queueMicrotask);

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // The server may be reachable without internet access.
      networkMode: 'always',
      refetchOnReconnect: true,
      // A 4xx fails the same way on every retry.
      retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.status < 500),
    },
    mutations: { networkMode: 'always' },
  },
});
followSession(queryClient, announceSession);

/** Loaded once the page is drawn, and ahead of need: a message may be about a server that no longer answers. */
const Notifications = lazy(async () => {
  await new Promise<void>((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: 2_000 });
    else setTimeout(resolve, 500); // Safari has no idle callbacks.
  });
  return import('./layout/notifications.ts');
});

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={readableColors}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <Suspense fallback={null}>
          <Notifications position="top-right" />
        </Suspense>
        <Pages />
        <Hints />
      </QueryClientProvider>
    </MantineProvider>
  );
}
