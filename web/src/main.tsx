import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './app.css';
import { hydrate } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { followSession } from './api/session.ts';
import { App, createQueryClient } from './App.tsx';
import type { Drawn } from './drawPage.tsx';
import { announceSwitched } from './layout/announceSwitched.ts';
import { loadPage } from './Pages.tsx';
import { setDrawnAt } from './ui/browserFacts.ts';

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
// The scroll lock behind dialogs writes its own style and reads its nonce from here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

loadPage(location.pathname);
const queryClient = createQueryClient();
const answers = document.querySelector('#answers')?.textContent;
if (answers) {
  const drawn = JSON.parse(answers) as Drawn['answers'];
  hydrate(queryClient, drawn.queries);
  setDrawnAt(drawn.at);
}
followSession(queryClient, announceSwitched);

const root = document.querySelector('#root')!;
const app = (
  <StrictMode>
    <App queryClient={queryClient} nonce={nonce} />
  </StrictMode>
);
// What differs from the server's page is drawn again, as on the first second of a day.
if (answers) hydrateRoot(root, app, { onRecoverableError: () => {} });
else createRoot(root).render(app);
