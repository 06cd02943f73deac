import { Type } from 'typebox';
import { describeHold, findHold, setHold, type Hold } from '../../platform/db/installation.ts';
import { holdReasons } from '../../platform/db/tables.ts';
import {
  Name,
  nullableObject,
  nullableText,
  sampleText,
  Timestamp,
  Uuid,
  words,
} from '../../platform/http/schemas.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { cliActor, plans } from '../../platform/lib/actor.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { isDemo, listOrganizations } from '../organizations/organizations.ts';
import { createSignInCode, signInLink } from '../sessions/signIn.ts';
import { createOwned, findOperated } from './operator.ts';

const ListedOrganization = Type.Object({
  org_id: Uuid,
  name: sampleText('Acme'),
  login: nullableText('acme', "the organization's name at its provider"),
  plan: words(plans),
  is_demo: Type.Boolean({ description: 'whether `runcost demo` made it' }),
  created_at: Timestamp,
});

const NewOrganizationBody = Type.Object(
  { name: Name, login: Type.Optional(Name) },
  { additionalProperties: false, examples: [{ name: 'Acme', login: 'acme' }] },
);

const exampleToken =
  'runcost_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_72f7ab46193cdf1e16cc_Xq3vT8mZ1kR5wN7yB2cD4fG6hJ9lP0sA-uEiOxKtVzY';

const HoldSchema = Type.Object({
  hold: nullableObject(
    Type.Object({
      reason: words(holdReasons),
      since: Timestamp,
      text: sampleText(
        'This Runcost was restored on 2026-03-18 from a backup of 2026-03-17T02:00:00.000Z.',
        'the reason, for people',
      ),
    }),
    'null if nothing is held back',
  ),
});

const linkMinutes = 15;

const operator = { tag: 'Server', access: 'operator', isNeverStored: true } as const;

/** Their requests have no actor: the operator does not belong to an organization. */
const verb = verbsWith<Omit<VerbContext, 'actor' | 'plan'> & { publicUrl: () => string }>();

export const operatorVerbs = [
  verb({
    ...operator,
    name: 'org list',
    at: 'GET /organizations',
    title: 'List all organizations',
    description: 'Oldest first.',
    answer: Type.Array(ListedOrganization),
    run: async (ctx) =>
      (await listOrganizations(ctx)).map((organization) => ({
        ...apiFields(organization),
        is_demo: isDemo(organization),
      })),
  }),
  verb({
    ...operator,
    name: 'org create',
    at: 'POST /organizations',
    title: 'Create an organization',
    description: 'Also creates a token of its owner with all scopes. The response shows it once.',
    body: NewOrganizationBody,
    status: 201,
    answer: Type.Object({
      org_id: Uuid,
      token: sampleText(exampleToken, "the owner's bearer token, shown only once"),
    }),
    run: async (ctx, { body: { name, login } }) => {
      const { orgId, token } = await createOwned(ctx, { name, ...(login && { login }) });
      return { org_id: orgId, token };
    },
  }),
  verb({
    ...operator,
    name: 'sign-in-link create',
    at: 'POST /sign-in-links',
    title: 'Create a sign-in link',
    description: `Signs one browser in as an owner of the organization \`org_id\`, within ${linkMinutes} minutes. \`org_id\` is optional while there is only one organization.`,
    query: Type.Object({ org_id: Type.Optional(Uuid) }),
    status: 201,
    answer: Type.Object({
      url: sampleText(
        'http://127.0.0.1:8080/sign-in#code=runcost_code_…',
        'works once; browsers never send the part after the #',
      ),
      expires_at: Timestamp,
    }),
    faults: [404],
    run: async (ctx, { query }) => {
      const { orgId } = await findOperated(ctx, query.org_id?.toLowerCase() ?? null);
      const expiresAt = new Date(ctx.clock.now().getTime() + linkMinutes * 60_000);
      const code = await createSignInCode(
        { ...ctx, actor: cliActor(orgId) },
        { validSeconds: linkMinutes * 60, tokenId: null },
      );
      return { url: signInLink(ctx.publicUrl(), code), expires_at: expiresAt };
    },
  }),
  verb({
    ...operator,
    name: 'hold get',
    at: 'GET /hold',
    title: 'Get what holds the server back',
    description: 'A restored, copied or moved Runcost sends nothing by itself until its hold ends.',
    answer: HoldSchema,
    run: async ({ db }) => holdView(await findHold(db)),
  }),
  verb({
    ...operator,
    name: 'hold end',
    at: 'POST /hold/end',
    title: 'End the hold',
    description:
      'Messages, webhooks, alert checks and backfills continue. Stop the original first. Returns the hold that ended, or null if there was none.',
    answer: HoldSchema,
    run: async ({ db }) => {
      const hold = await findHold(db);
      if (hold) await setHold(db, null);
      return holdView(hold);
    },
  }),
];

function holdView(hold: Hold | null) {
  return { hold: hold && { reason: hold.reason, since: hold.since, text: describeHold(hold) } };
}
