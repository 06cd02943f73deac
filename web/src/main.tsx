import './mantine.css';
import './font/inter.css';
import './app.css';
import { hydrate } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { organizationAsked } from './api/organization.ts';
import { followSession, sessionQuery } from './api/session.ts';
import { App, createQueryClient } from './App.tsx';
import type { Drawn } from './drawPage.tsx';
import { announceSwitched } from './layout/announceSwitched.ts';
import { loadPage } from './Pages.tsx';
import { setAlertTypes } from './parts/alerts/alertTypes.ts';
import { alertTypesQuery } from './parts/alerts/queries.ts';
import { takeOver } from './takeOver.ts';
import { loadPart } from './ui/late.ts';

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
// The scroll lock behind dialogs adds its own style element and reads the nonce from here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

const queryClient = createQueryClient();
const sent = document.querySelector('#answers')!;
const drawn = JSON.parse(sent.textContent || 'null') as Drawn['answers'] | null;
if (drawn) {
  hydrate(queryClient, drawn.queries);
  setAlertTypes(queryClient.getQueryData(alertTypesQuery.queryKey) ?? []);
  // Only visitors without a session get the sign-in form. It was rendered at build time, so this marks its data as
  // current.
  const { queryKey } = sessionQuery(null);
  if (queryClient.getQueryData(queryKey) === null) queryClient.setQueryData(queryKey, null);
}
followSession(queryClient, announceSwitched);

const session = queryClient.getQueryData(sessionQuery(organizationAsked()).queryKey);
const page = loadPage(session === null ? '/sign-in' : location.pathname);
const app = (
  <StrictMode>
    <App queryClient={queryClient} nonce={nonce} />
  </StrictMode>
);
const show = () => {
  takeOver(document.querySelector('#root')!, app);
  sent.remove();
};
const parts = page?.then(() => drawn && Promise.all(drawn.parts.map(loadPart)));
// What does not load is loaded again when it is shown, and then reports the error.
const loading = Promise.allSettled([parts]);
// Without the server's page, the browser draws what is there.
if (drawn) void loading.then(show);
else show();
