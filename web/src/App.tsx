import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { ApiError } from './api/client.ts';
import { followSession } from './api/session.ts';
import { Hints } from './layout/Hints.tsx';
import { tellOfSession } from './layout/tellOfSession.ts';
import { Pages } from './Pages.tsx';
import { readableColors, theme } from './theme.ts';

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
// What keeps the page behind a dialog from scrolling writes a style of its own, and takes its nonce from here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

// With the default, a timeout, React first sets a clicked radio or switch back to its old state for a moment.
notifyManager.setScheduler(queueMicrotask);

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // The server may well be reached where there is no internet, and is asked.
      networkMode: 'always',
      refetchOnReconnect: true,
      // What is wrong with the request will be so the next time as well.
      retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.status < 500),
    },
    mutations: { networkMode: 'always' },
  },
});
followSession(queryClient, tellOfSession);

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={readableColors}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <Notifications position="top-right" />
        <Pages />
        <Hints />
      </QueryClientProvider>
    </MantineProvider>
  );
}
