import { lazy, Suspense, type ComponentType } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { SignedIn, useSession } from './api/session.ts';
import { Shell } from './layout/Shell.tsx';
import { Failed } from './shown/Failed.tsx';
import { Loading } from './shown/Loading.tsx';

const page = (load: () => Promise<{ Page: ComponentType }>) =>
  lazy(async () => ({ default: (await load()).Page }));

const SignIn = page(() => import('./pages/SignIn.tsx'));

/** Each page is loaded when it is first opened. */
const pages: [path: string, component: ComponentType][] = [
  ['/', page(() => import('./pages/Overview.tsx'))],
  ['/workflows', page(() => import('./pages/Workflows.tsx'))],
  ['/workflows/:id', page(() => import('./pages/Workflow.tsx'))],
  ['/runs/:id', page(() => import('./pages/Run.tsx'))],
  ['/alerts', page(() => import('./pages/Alerts.tsx'))],
  ['/alerts/new', page(() => import('./pages/AlertEditor.tsx'))],
  ['/alerts/:id', page(() => import('./pages/AlertHistory.tsx'))],
  ['/alerts/:id/edit', page(() => import('./pages/AlertEditor.tsx'))],
  ['/webhooks', page(() => import('./pages/Webhooks.tsx'))],
  ['/webhooks/:id', page(() => import('./pages/Webhook.tsx'))],
  ['/settings', page(() => import('./pages/Settings.tsx'))],
  ['/settings/:part', page(() => import('./pages/Settings.tsx'))],
];
const Missing = page(() => import('./pages/Missing.tsx'));

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
