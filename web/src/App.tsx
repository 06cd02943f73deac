import { MantineProvider } from '@mantine/core';
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { ApiError } from './api/client.ts';
import { Hints } from './layout/Hints.tsx';
import { Messages } from './layout/Messages.tsx';
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
        <Pages />
        <Messages />
        <Hints />
      </QueryClientProvider>
    </MantineProvider>
  );
}
