/** What commands do in the database of this machine while no server runs. */
import { readClientSettings } from '../config.ts';
import { estimateHere, type EstimateQuestion } from '../insight/estimates/estimate.ts';
import { estimateView } from '../insight/estimates/views.ts';
import { cliActor } from '../platform/lib/actor.ts';
import { InvalidFields } from '../platform/lib/errors.ts';
import { createOwned, findOperated } from '../tenancy/operator/operator.ts';
import { withApp } from './withApp.ts';

/** Answers like `POST /organizations`. */
export function createOrganization(name: string, login: string | undefined): Promise<object> {
  return withApp(
    async (app) => {
      const { orgId, token } = await createOwned(app, { name, ...(login !== undefined && { login }) });
      return { org_id: orgId, token };
    },
    { mayCreate: true },
  );
}

type EstimateBody = EstimateQuestion & { own_jobs_only: boolean };

/** Answers like `POST /estimates`. */
export function estimate(
  { own_jobs_only: isOfOwnJobsOnly, ...body }: EstimateBody,
  org: string | undefined,
): Promise<object> {
  return withApp(async (app) => {
    const asked = (org ?? readClientSettings().org)?.toLowerCase() ?? null;
    const { orgId, plan } = await findOperated(app, asked).catch((error: unknown) => {
      throw error instanceof InvalidFields ? error.named(() => '--org (or RUNCOST_ORG)') : error;
    });
    return estimateView(
      await estimateHere({ ...app, actor: cliActor(orgId), plan }, { ...body, isOfOwnJobsOnly }),
    );
  });
}
