import { gitHubPages } from '../../platform/lib/gitHubAddresses.ts';

/** https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest */
export type Manifest = {
  name: string;
  url: string;
  redirect_url: string;
  setup_url: string;
  public: false;
  default_permissions: {
    actions: 'read';
    metadata: 'read';
    contents?: 'read' | 'write';
    workflows?: 'write';
    pull_requests: 'read' | 'write';
    checks?: 'write';
  };
  hook_attributes?: { url: string; active: true };
  default_events?: string[];
};

/** GitHub refuses longer names. */
const maxNameLength = 34;

/** Has no webhook if GitHub cannot reach this server. Then the source polls for new runs. */
export function manifestOf(app: {
  owner: string;
  publicUrl: string;
  sourceId: string;
  isReachable: boolean;
  mayComment: boolean;
  mayOpenFixes: boolean;
}): Manifest {
  const { owner, publicUrl, sourceId, isReachable, mayComment, mayOpenFixes } = app;
  const page = `${publicUrl}/sources/github-app`;
  return {
    name: `Runcost ${owner}`.slice(0, maxNameLength).trimEnd(),
    url: publicUrl,
    redirect_url: page,
    setup_url: `${page}?source=${sourceId}`,
    public: false,
    default_permissions: {
      actions: 'read',
      metadata: 'read',
      // To say what the runs of merged and closed pull requests cost.
      pull_requests: mayComment || mayOpenFixes ? 'write' : 'read',
      ...(mayComment && { contents: 'read', checks: 'write' }),
      ...(mayOpenFixes && { contents: 'write', workflows: 'write' }),
    },
    ...(isReachable && {
      hook_attributes: { url: `${publicUrl}/api/v1/ingest/${sourceId}`, active: true },
      default_events: ['pull_request', 'workflow_job', 'workflow_run'],
    }),
  };
}

/** The provider of runs that webhooks of this GitHub server report. */
export function providerOfApi(apiUrl: string): string {
  const { host } = new URL(gitHubPages(apiUrl));
  return host === 'github.com' ? 'github' : `github.${host}`;
}

/** If `organization` is null, the person's own account owns the App. */
export function formAddress(pages: string, organization: string | null, state: string): string {
  const of = organization === null ? '' : `/organizations/${encodeURIComponent(organization)}`;
  return `${pages}${of}/settings/apps/new?state=${encodeURIComponent(state)}`;
}
