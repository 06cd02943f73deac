import type { Context } from '../../context.ts';
import type { PlanFile } from '../../ledger/pricing/plan.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { recordAuditOnce } from '../../tenancy/audit/audit.ts';
import type { Estimate } from '../estimates/estimate.ts';
import type { Patch } from '../estimates/patch.ts';
import type { EstimateThreads } from '../estimates/threads.ts';
import type { WasteContext } from '../waste/getWaste.ts';
import { findFix, type FoundFix } from './findFix.ts';
import { proposalOf, type Proposal } from './proposal.ts';

type Answered<T> = { kind: 'data'; data: T } | { kind: 'wait' | 'unreachable' | 'refused'; message: string };

type Place = { provider: string | null; repository: string };
type Revision = { branch: string; commit: string; files: PlanFile[] };
export type OpenedPullRequest = { number: number; url: string; state: 'open' | 'closed'; isNew: boolean };

/** Injected by `server.ts`: only `intake` can open GitHub credentials, and `outreach` has the setting. */
export type Repositories = {
  read: (orgId: string, asked: Place & { branch: string | null }) => Promise<Answered<Revision>>;
  open: (
    orgId: string,
    asked: Place & { branch: string },
    prepare: (revision: Revision) => Promise<Proposal>,
  ) => Promise<Answered<OpenedPullRequest>>;
  opensFixes: (ctx: Context) => Promise<boolean>;
};

export type FixContext = Context &
  WasteContext & { estimates: EstimateThreads; repositories: Repositories; publicUrl: () => string };

export type EstimatedPatch = {
  fix: FoundFix;
  patch: Patch;
  branch: string | null;
  estimate: Estimate | null;
};

/** Reads the files from the repository if none are given, and if they can be changed. Changes nothing there. */
export async function getPatch(
  ctx: FixContext,
  { id, files }: { id: string; files: readonly PlanFile[] | undefined },
  signal: AbortSignal,
): Promise<EstimatedPatch> {
  const fix = await findFix(ctx, id);
  const canEdit = ctx.providers.of(fix.workflow?.provider ?? 'github')?.workflowFiles?.edit;
  const revision = files || !canEdit ? null : await readFiles(ctx, { ...placeOf(fix), branch: null });
  const patch = await ctx.estimates.patch(ctx, { fix, files: files ?? revision?.files ?? [] }, { signal });
  return {
    fix,
    patch,
    branch: revision?.branch ?? null,
    estimate: await estimateOf(ctx, fix, patch, signal),
  };
}

export async function readFiles(
  ctx: FixContext,
  asked: Place & { branch: string | null },
): Promise<Revision> {
  return requireData(await ctx.repositories.read(ctx.actor.orgId, asked));
}

/** Nobody's default branch changes: people decide about the pull request. A second request returns the same one, until it is merged. */
export async function openFix(ctx: FixContext, id: string, signal: AbortSignal): Promise<OpenedPullRequest> {
  const fix = await findFix(ctx, id);
  if (!(await ctx.repositories.opensFixes(ctx)))
    throw new PublicError(
      'conflict',
      'fixes_off',
      'Pull requests with fixes are off. Turn them on in Settings, Notifications, Pull requests.',
    );
  const { orgId } = ctx.actor;
  const branch = `runcost/${id.replaceAll(/[^\w-]/g, '-')}`;
  const asked = { ...placeOf(fix), branch };
  const prepare = async ({ files }: Revision) => {
    const patch = await ctx.estimates.patch(ctx, { fix, files }, { signal });
    return proposalOf(ctx, fix, patch, await estimateOf(ctx, fix, patch, signal));
  };
  const opened = requireData(await ctx.repositories.open(orgId, asked, prepare));
  const details = { repository: fix.repository, pull_request: opened.number };
  await ctx.db.transaction().execute((tx) => recordAuditOnce(tx, ctx, 'waste_fix.open', id, details));
  return opened;
}

function placeOf({ workflow, repository }: FoundFix): Place {
  return { provider: workflow?.provider ?? null, repository };
}

/** A patch is worth having without it. */
async function estimateOf(
  ctx: FixContext,
  { workflow, repository }: FoundFix,
  { before, after, files }: Patch,
  signal: AbortSignal,
): Promise<Estimate | null> {
  if (files.length === 0) return null;
  const provider = ctx.providers.of(workflow?.provider ?? 'github')?.id;
  const question = {
    repository,
    provider,
    base: { files: before },
    head: { files: after },
    isOfOwnJobsOnly: true,
  };
  return ctx.estimates.estimate(ctx, question, { signal }).catch((error: unknown) => {
    if (error instanceof PublicError) return null;
    throw error;
  });
}

function requireData<T>(answer: Answered<T>): T {
  if (answer.kind === 'data') return answer.data;
  if (answer.kind === 'refused') throw new PublicError('conflict', 'github_refused', answer.message);
  throw new PublicError('unavailable', 'github_unavailable', answer.message);
}
