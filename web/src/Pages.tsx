import { lazy, Suspense, type ComponentType } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { SignedIn, useSession } from './api/session.ts';
import { Shell } from './layout/Shell.tsx';
import { Failed } from './shown/Failed.tsx';
import { Loading } from './shown/Loading.tsx';

type Load = () => Promise<{ Page: ComponentType }>;

const page = (load: Load) => lazy(async () => ({ default: (await load()).Page }));

const SignIn = page(() => import('./pages/SignIn.tsx'));

/** Each page is loaded when it is first opened. */
const loads: [path: string, load: Load][] = [
  ['/', () => import('./pages/Overview.tsx')],
  ['/workflows', () => import('./pages/Workflows.tsx')],
  ['/workflows/:id', () => import('./pages/Workflow.tsx')],
  ['/runs/:id', () => import('./pages/Run.tsx')],
  ['/waste', () => import('./pages/Waste.tsx')],
  ['/bill', () => import('./pages/Bill.tsx')],
  ['/alerts', () => import('./pages/Alerts.tsx')],
  ['/alerts/new', () => import('./pages/AlertEditor.tsx')],
  ['/alerts/:id', () => import('./pages/AlertHistory.tsx')],
  ['/alerts/:id/edit', () => import('./pages/AlertEditor.tsx')],
  ['/webhooks', () => import('./pages/Webhooks.tsx')],
  ['/webhooks/:id', () => import('./pages/Webhook.tsx')],
  ['/exports', () => import('./pages/Exports.tsx')],
  ['/backfills', () => import('./pages/Backfills.tsx')],
  ['/settings', () => import('./pages/Settings.tsx')],
  ['/settings/:part', () => import('./pages/Settings.tsx')],
];
const pages = loads.map(([path, load]) => [path, page(load)] as const);
const Missing = page(() => import('./pages/Missing.tsx'));

// The page in the address comes while the server is still asked who is signed in.
const opened = loads.find(([path]) =>
  new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(location.pathname),
);
opened?.[1]().catch(() => {}); // It is loaded again when it is shown, and then told.

export function Pages() {
  const session = useSession();
  const [path] = useLocation();
  if (session.error) return <Failed error={session.error} retry={() => void session.refetch()} />;
  if (session.data === undefined) return <Loading height={480} />;
  if (session.data === null || path === '/sign-in') {
    return (
      <Suspense fallback={<Loading height={480} />}>
        <SignIn />
      </Suspense>
    );
  }
  return (
    <SignedIn value={session.data}>
      <Shell session={session.data}>
        <Suspense fallback={<Loading height={480} />}>
          <Switch>
            {pages.map(([address, component]) => (
              <Route key={address} path={address} component={component} />
            ))}
            <Route component={Missing} />
          </Switch>
        </Suspense>
      </Shell>
    </SignedIn>
  );
}
