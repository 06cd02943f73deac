import './mantine.css';
import './font/inter.css';
import './app.css';
import { hydrate } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { followSession, sessionQuery } from './api/session.ts';
import { App, createQueryClient } from './App.tsx';
import type { Drawn } from './drawPage.tsx';
import { announceSwitched } from './layout/announceSwitched.ts';
import { loadPage } from './Pages.tsx';
import { setAlertTypes } from './parts/alerts/alertTypes.ts';
import { alertTypesQuery } from './parts/alerts/queries.ts';
import { setDrawnAt } from './ui/browserState.ts';

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
// The scroll lock behind dialogs adds its own style element and reads the nonce from here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

loadPage(location.pathname);
const queryClient = createQueryClient();
const answers = document.querySelector('#answers')?.textContent;
if (answers) {
  const drawn = JSON.parse(answers) as Drawn['answers'];
  hydrate(queryClient, drawn.queries);
  setDrawnAt(drawn.at);
  setAlertTypes(queryClient.getQueryData(alertTypesQuery.queryKey) ?? []);
  // Only visitors without a session get the sign-in form. It was rendered at build time, so this marks its data as
  // current.
  const { queryKey } = sessionQuery(null);
  if (queryClient.getQueryData(queryKey) === null) queryClient.setQueryData(queryKey, null);
}
followSession(queryClient, announceSwitched);

const root = document.querySelector('#root')!;
const app = (
  <StrictMode>
    <App queryClient={queryClient} nonce={nonce} />
  </StrictMode>
);
// If the page differs from the server's, such as at midnight, React renders it again without reporting an error.
if (answers) hydrateRoot(root, app, { onRecoverableError: () => {} });
else createRoot(root).render(app);
