/** What commands can do in the database of this machine while no server runs. */
import { readClientSettings } from '../config.ts';
import { type Estimate, estimateHere, type EstimateQuestion } from '../insight/estimates/estimate.ts';
import { cliActor } from '../platform/lib/actor.ts';
import { InvalidFields } from '../platform/lib/errors.ts';
import { createOwned, findOperated } from '../tenancy/operator/operator.ts';
import { withApp } from './command.ts';
import type { Answer } from './session.ts';

export async function createOrganizationHere(name: string, login: string | undefined): Promise<Answer> {
  let created: Answer;
  await withApp(
    async (app) => {
      const { orgId, token } = await createOwned(app, { name, ...(login !== undefined && { login }) });
      created = { org_id: orgId, token };
    },
    { mayCreate: true },
  );
  return created;
}

export async function estimateWithoutServer(
  question: EstimateQuestion,
  org: string | undefined,
): Promise<Estimate> {
  let found: Estimate | undefined;
  await withApp(async (app) => {
    const asked = (org ?? readClientSettings().org)?.toLowerCase() ?? null;
    const { orgId, plan } = await findOperated(app, asked).catch((error: unknown) => {
      throw error instanceof InvalidFields ? error.named(() => '--org (or RUNCOST_ORG)') : error;
    });
    found = await estimateHere({ ...app, actor: cliActor(orgId), plan }, question);
  });
  return found!;
}
