import { Type, type TSchema } from 'typebox';
import {
  deletedOf,
  Name,
  nullable,
  NullableName,
  nullableText,
  readOnlyFields,
  sampleText,
  Timestamp,
  Uuid,
  words,
} from '../../platform/http/schemas.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { plans } from '../../platform/lib/actor.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { minRetentionDays } from '../../platform/lib/days.ts';
import { deleteOrganization, type DeletionProgram } from './deleteOrganization.ts';
import {
  getOrganization,
  updateOrganization,
  weekStarts,
  type AddedField,
  type Organization,
} from './organizations.ts';

const planWords = words(plans);

const Month = Type.Integer({
  minimum: 1,
  maximum: 12,
  description: 'first month of the fiscal year; 1, the default, is January',
});
const calendarFields = {
  time_zone: sampleText(
    'Europe/Berlin',
    'IANA name of the time zone in which pages show times. Costs use UTC days',
  ),
  fiscal_year_start_month: Month,
  week_start: words(weekStarts, {
    description:
      'first day of the week in the pages; in the API, weeks start on Monday unless `week_start` is given',
  }),
};

const RetentionDays = nullable(
  Type.Integer({
    minimum: minRetentionDays,
    maximum: 36_500,
    description: 'days for which runs and jobs are kept; null keeps them forever. Daily sums are always kept',
  }),
);
const retentionFields = {
  run_retention_days: RetentionDays,
  details_from: nullable(
    Type.String({
      format: 'date',
      examples: ['2026-01-01'],
      description:
        'runs created before this day are removed and never recorded again; null if none were removed',
    }),
  ),
};

const organizationFields = {
  org_id: Uuid,
  name: sampleText('Acme'),
  login: nullableText('acme', "the organization's name at its provider"),
  plan: planWords,
  ...calendarFields,
  ...retentionFields,
  mail_configured: Type.Boolean({ description: 'whether this server can send email (SMTP_URL)' }),
  created_at: Timestamp,
  updated_at: Timestamp,
};

const changeable = {
  name: Type.Optional(Name),
  login: Type.Optional(NullableName),
  plan: Type.Optional(planWords),
  time_zone: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'IANA name, such as Europe/Berlin' }),
  ),
  fiscal_year_start_month: Type.Optional(Month),
  week_start: Type.Optional(calendarFields.week_start),
  run_retention_days: Type.Optional(RetentionDays),
  ...readOnlyFields('org_id', 'details_from', 'mail_configured', 'created_at', 'updated_at'),
};

const exampleChanges = { name: 'Acme', login: 'acme', time_zone: 'Europe/Berlin' };

const DeleteOrganizationQuery = Type.Object({
  confirm: Type.String({ description: "the organization's exact name", examples: ['Acme'] }),
});

const tag = 'Organization';

type OrganizationContext = VerbContext & DeletionProgram & { hasMail: boolean };

/** A field that a later wing stores: what it is, what callers send, and an example of that. */
export type DescribedField<C> = AddedField<C, unknown, never> & {
  answer: TSchema;
  input: TSchema;
  example: unknown;
};

export function organizationVerbs<C>(added: Record<string, DescribedField<C>>) {
  const verb = verbsWith<OrganizationContext & C>();
  const described = Object.entries(added);
  const OrganizationSchema = Type.Object({
    ...organizationFields,
    ...Object.fromEntries(described.map(([name, { answer }]) => [name, answer])),
  });
  const view = async (ctx: OrganizationContext & C, organization: Organization) => {
    const views = await Promise.all(described.map(async ([name, field]) => [name, await field.view(ctx)]));
    return { ...organizationView(ctx, organization), ...Object.fromEntries(views) };
  };
  return [
    verb({
      name: 'org get',
      at: 'GET /organization',
      access: { scope: 'admin', role: 'viewer' },
      tag,
      title: 'Get the organization',
      answer: OrganizationSchema,
      run: async (ctx) => view(ctx, await getOrganization(ctx)),
    }),
    verb({
      name: 'org update',
      at: 'PUT /organization',
      access: { scope: 'admin', role: 'admin' },
      tag,
      title: 'Change the organization',
      description: 'Changes the fields that you send. Only an owner can change the plan.',
      body: Type.Object(
        {
          ...changeable,
          ...Object.fromEntries(described.map(([name, { input }]) => [name, Type.Optional(input)])),
        },
        {
          additionalProperties: false,
          examples: [
            {
              ...exampleChanges,
              ...Object.fromEntries(described.map(([name, { example }]) => [name, example])),
            },
          ],
        },
      ),
      answer: OrganizationSchema,
      faults: [409],
      run: async (ctx, { body }) => {
        const given: Record<string, unknown> = body;
        const ofOthers = described.filter(([name]) => given[name] !== undefined);
        const changes = await Promise.all(
          ofOthers.map(async ([name, field]) => [name, await field.plan(ctx, given[name] as never)] as const),
        );
        const own = Object.entries(given).filter(([name]) => !Object.hasOwn(added, name));
        const changed = await updateOrganization(ctx, Object.fromEntries(own), Object.fromEntries(changes));
        return view(ctx, changed);
      },
    }),
    verb({
      name: 'org delete',
      at: 'DELETE /organization',
      access: { scope: 'admin', role: 'owner' },
      tag,
      title: 'Delete the organization',
      description:
        'Deletes everything in it. Its tokens, sessions and sources stop working at once, and nothing more is sent. A background task removes the stored data. You cannot undo this: download exports first to keep data.',
      query: DeleteOrganizationQuery,
      answer: deletedOf('b7e9d0c2-4f1a-4c3b-8d5e-6a7f8c9d0e1f'),
      run: async (ctx, { query: { confirm } }) => {
        await deleteOrganization(ctx, confirm);
        return { id: ctx.actor.orgId, deleted: true as const };
      },
    }),
  ];
}

function organizationView({ hasMail }: OrganizationContext, organization: Organization) {
  const { calendar, retention, ...others } = organization;
  return { ...apiFields({ ...others, ...calendar, ...retention }), mail_configured: hasMail };
}
