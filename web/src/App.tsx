import { MantineProvider } from '@mantine/core';
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { ApiError } from './api/client.ts';
import { Hints } from './layout/Hints.tsx';
import { Pages } from './Pages.tsx';
import { readableColors, theme } from './theme.ts';

// With the default (a timeout), React shows a clicked radio or switch in its old state for a moment.
notifyManager.setScheduler(queueMicrotask);

/** One per browser window, and one per page that the server renders. */
export const createQueryClient = () =>
  new QueryClient({
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

const LoadedNotifications = lazy(() => import('./layout/notifications.ts'));

/**
 * Loaded when the browser is idle, not with the first message: that message may say that the server no longer answers.
 */
function Notifications() {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    const onIdle = () => setIdle(true);
    if ('requestIdleCallback' in globalThis) requestIdleCallback(onIdle, { timeout: 2_000 });
    else setTimeout(onIdle, 500); // Safari has no idle callbacks.
  }, []);
  return <Suspense fallback={null}>{isIdle && <LoadedNotifications position="bottom-right" />}</Suspense>;
}

/** An embed takes its color scheme from `?theme=`, so that it matches the page around it. */
function embedTheme(): 'light' | 'dark' | undefined {
  if (!location.pathname.startsWith('/embed/')) return undefined;
  const asked = new URLSearchParams(location.search).get('theme');
  return asked === 'light' || asked === 'dark' ? asked : undefined;
}

export function App({ queryClient, nonce }: { queryClient: QueryClient; nonce: string }) {
  const forced = embedTheme();
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={readableColors}
      defaultColorScheme="auto"
      {...(forced && { forceColorScheme: forced })}
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <Notifications />
        <Pages />
        <Hints />
      </QueryClientProvider>
    </MantineProvider>
  );
}
