import { Container, Skeleton, Stack, VisuallyHidden } from '@mantine/core';
import { Suspense, useState, type ComponentType } from 'react';
import {
  Redirect,
  Route,
  Router,
  Switch,
  useLocation,
  useSearch,
  type AroundNavHandler,
  type BaseLocationHook,
} from 'wouter';
import { useBrowserLocation, useSearch as useBrowserSearch } from 'wouter/use-browser-location';
import { movedPages } from './api/movedPages.ts';
import { withOrganization, withoutOrganization } from './api/organization.ts';
import { NoAccess, SignedIn, useNamedAddress, useSession } from './api/session.ts';
import { areaAt } from './layout/areas.ts';
import { PageBoundary } from './layout/PageBoundary.tsx';
import { PageTabs } from './layout/PageTabs.tsx';
import { Shell } from './layout/Shell.tsx';
import { late } from './ui/late.ts';
import { Failed } from './ui/Loaded.tsx';

type Load = () => Promise<{ Page: ComponentType }>;

const page = (load: Load) => late(load, 'Page');

const Shared = page(() => import('./pages/insight/shared/Shared.tsx'));
const Invitation = page(() => import('./pages/tenancy/Invitation.tsx'));
const OtherOrganizations = late(() => import('./pages/tenancy/OtherOrganizations.tsx'), 'OtherOrganizations');
const SignIn = page(() => import('./pages/tenancy/SignIn.tsx'));

const waiting = <PageSkeleton />;

const loads: [path: string, load: Load][] = [
  ['/', () => import('./pages/insight/overview/Overview.tsx')],
  ['/explore', () => import('./pages/insight/explore/Explore.tsx')],
  ['/workflows', () => import('./pages/insight/workflows/Workflows.tsx')],
  ['/workflows/:id', () => import('./pages/insight/workflow/Workflow.tsx')],
  ['/repositories/*', () => import('./pages/insight/scope/Repository.tsx')],
  ['/teams', () => import('./pages/insight/teams/Teams.tsx')],
  ['/teams/:name', () => import('./pages/insight/scope/Team.tsx')],
  ['/runs/:id', () => import('./pages/ledger/run/Run.tsx')],
  ['/pull-requests', () => import('./pages/insight/pullRequests/PullRequests.tsx')],
  ['/waste', () => import('./pages/insight/waste/Waste.tsx')],
  ['/bill', () => import('./pages/insight/bill/Bill.tsx')],
  ['/alerts', () => import('./pages/outreach/alerts/Alerts.tsx')],
  ['/alerts/new', () => import('./pages/outreach/alerts/AlertEditor.tsx')],
  ['/alerts/:id', () => import('./pages/outreach/alerts/AlertHistory.tsx')],
  ['/alerts/:id/edit', () => import('./pages/outreach/alerts/AlertEditor.tsx')],
  ['/webhooks', () => import('./pages/outreach/webhooks/Webhooks.tsx')],
  ['/webhooks/:id', () => import('./pages/outreach/webhooks/Webhook.tsx')],
  ['/exports', () => import('./pages/insight/exports/Exports.tsx')],
  ['/sources', () => import('./pages/intake/sources/Sources.tsx')],
  ['/sources/github-app', () => import('./pages/intake/sources/GitHubApp.tsx')],
  ['/sources/gitlab', () => import('./pages/intake/sources/GitLab.tsx')],
  ['/history', () => import('./pages/intake/history/History.tsx')],
  ['/share-links', () => import('./pages/tenancy/ShareLinks.tsx')],
  ['/confirm-login', () => import('./pages/tenancy/confirmLogin/ConfirmLogin.tsx')],
  ['/settings', () => import('./Settings.tsx')],
  ['/settings/:part', () => import('./Settings.tsx')],
];
const pages = loads.map(([path, load]) => [path, page(load)] as const);
const Missing = page(() => import('./layout/Missing.tsx'));

/** Loads the code of the page while the session is still loading. */
export function loadPage(address: string): Promise<unknown> | undefined {
  if (address === '/sign-in') return SignIn.load();
  const opened = pages.find(([path]) =>
    new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+').replaceAll('*', '.+')}$`).test(address),
  );
  return opened?.[1].load();
}

// wouter half-decodes an address before it matches it. Encoding once more keeps `%2F` and `%25` apart from
// `/` and `%`.
const useEncodedPath: BaseLocationHook = (options: { ssrPath?: string }) => {
  const [path, navigate] = useBrowserLocation(options);
  return [path.replaceAll('%', '%25'), navigate];
};
const useEncodedSearch = (options?: { ssrSearch?: string }) =>
  withoutOrganization(useBrowserSearch(options)).replaceAll('%', '%25');
const toOrganization: AroundNavHandler = (navigate, to, options) => navigate(withOrganization(to), options);

export function Pages() {
  return (
    <Router
      hook={useEncodedPath}
      searchHook={useEncodedSearch}
      ssrPath={location.pathname}
      ssrSearch={location.search}
      hrefs={withOrganization}
      aroundNav={toOrganization}
    >
      <Switch>
        {['/shared', '/embed/:link'].map((path) => (
          <Route key={path} path={path}>
            <PageBoundary path={path}>
              <Suspense fallback={null}>
                <Shared />
              </Suspense>
            </PageBoundary>
          </Route>
        ))}
        <Route path="/invitation">
          <PageBoundary path="/invitation">
            <Suspense fallback={null}>
              <Invitation />
            </Suspense>
          </PageBoundary>
        </Route>
        <Route component={PagesOfSession} />
      </Switch>
    </Router>
  );
}

function PagesOfSession() {
  const { data: session, error, refetch } = useSession();
  const [path] = useLocation();
  const area = areaAt(path);
  const tabs = area?.tabs;
  useNamedAddress(session);
  if (error instanceof NoAccess) {
    return (
      <PageBoundary path="/no-access">
        <Suspense fallback={null}>
          <OtherOrganizations refusal={error} />
        </Suspense>
      </PageBoundary>
    );
  }
  if (session === undefined && error) return <NotStarted error={error} retry={refetch} />;
  if (session === undefined && path === '/sign-in') return null;
  if (session === null || path === '/sign-in') return <Entrance isSignedIn={!!session} />;
  return (
    <Shell session={session}>
      {session ? (
        // A new key drops everything typed or opened in the previous organization.
        <SignedIn value={session} key={session.organization.id}>
          {tabs?.some(({ href }) => href === path) && <PageTabs label={area!.label} tabs={tabs} />}
          <PageBoundary path={path}>
            <Suspense fallback={waiting}>
              <Switch>
                {movedPages.map(({ from, to }) => (
                  <Route key={from} path={from}>
                    <Moved to={to} />
                  </Route>
                ))}
                {pages.map(([address, component]) => (
                  <Route key={address} path={address} component={component} />
                ))}
                <Route component={Missing} />
              </Switch>
            </Suspense>
          </PageBoundary>
        </SignedIn>
      ) : (
        waiting
      )}
    </Shell>
  );
}

function Moved({ to }: { to: string }) {
  const search = useSearch();
  return <Redirect to={`${to}${search && `?${search}`}`} replace />;
}

function NotStarted({ error, retry }: { error: Error; retry: () => Promise<unknown> }) {
  return (
    <Container component="main" py="xl">
      <Failed error={error} retry={() => void retry()} />
    </Container>
  );
}

/** Redirects signed-in people to the overview, unless the link has a sign-in code. */
function Entrance({ isSignedIn }: { isSignedIn: boolean }) {
  const [hasCode] = useState(() => new URLSearchParams(location.hash.slice(1)).has('code'));
  if (isSignedIn && !hasCode) return <Redirect to="/" replace />;
  return (
    <PageBoundary path="/sign-in">
      <Suspense fallback={null}>
        <SignIn />
      </Suspense>
    </PageBoundary>
  );
}

/** Has the shape that most pages start with: a title, a sentence and a panel. */
function PageSkeleton() {
  return (
    <Stack gap="md" aria-busy="true">
      <VisuallyHidden role="status">Loading</VisuallyHidden>
      <Stack gap={6} mih={52}>
        <Skeleton height={26} w={180} mt={3} />
        <Skeleton height={14} w="min(360px, 80%)" />
      </Stack>
      <Skeleton height={480} />
    </Stack>
  );
}
