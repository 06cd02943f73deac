import { Type } from 'typebox';
import { nullable, nullableText, sampleText, words } from '../../platform/http/schemas.ts';

const sourceId = 'src_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_a266412d4c61df5d';
const access = {
  address: Type.Optional(
    Type.String({
      maxLength: 500,
      default: 'https://gitlab.com',
      description: 'the address of GitLab: gitlab.com, or your own',
    }),
  ),
  token: Type.String({
    pattern: '^[\\x21-\\x7e]{1,1000}$',
    description:
      'an access token of the group or project, or of a person, with the scope `api` and the role Owner, or Maintainer ' +
      'for webhooks of projects. It is not kept.',
  }),
};
const token = 'glpat-xxxxxxxxxxxxxxxxxxxx';

export const GitLabAccessBody = Type.Object(access, {
  additionalProperties: false,
  examples: [{ address: 'https://gitlab.example.com', token }],
});

export const GitLabPlacesSchema = Type.Object({
  token_name: sampleText('Runcost'),
  expires_on: nullableText('2026-12-31', 'UTC day on which the token ends'),
  groups: Type.Array(sampleText('acme'), { description: 'paths, without groups inside another one' }),
  projects: Type.Array(sampleText('ada/tools'), { description: 'paths, without those inside the groups' }),
  is_cut: Type.Boolean({ description: 'whether there may be others: only the first 100 are read' }),
});

export const GitLabConnectionBody = Type.Object(
  {
    ...access,
    path: Type.String({
      pattern: '^[\\p{L}\\p{N}_.-]+(/[\\p{L}\\p{N}_.-]+)*$',
      maxLength: 1_000,
      description: 'path of the group or project',
    }),
    page: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100_000,
        default: 1,
        description: '`next_page` of the answer before',
      }),
    ),
    source_id: Type.Optional(
      nullable(Type.String({ maxLength: 100, description: '`source_id` of the answer before' })),
    ),
  },
  { additionalProperties: false, examples: [{ address: 'https://gitlab.example.com', token, path: 'acme' }] },
);

export const GitLabConnectionSchema = Type.Object({
  source_id: nullableText(sourceId, 'the source that gets the events; null if no webhook could be added'),
  scope: words(['group', 'project', 'projects_of_group'], {
    description: '`projects_of_group`: GitLab has no group webhooks on this plan, so each project gets one',
  }),
  webhooks: Type.Array(
    Type.Object({
      path: sampleText('acme/api'),
      result: words(['added', 'changed', 'failed'], {
        description: '`changed`: this organization already had one there',
      }),
      error: nullableText('GitLab answered 422: "Maximum number of project hooks (100) exceeded".'),
    }),
  ),
  projects: nullable(
    Type.Integer({
      description: 'number of projects in the group, if each gets a webhook and GitLab counts them',
    }),
  ),
  test_event: nullable(
    Type.Object(
      {
        result: words(['sent', 'refused', 'not_offered'], {
          description: '`not_offered`: GitLab before 16.11, or 17.1 for groups',
        }),
        reason: nullableText('Ensure the project has CI pipelines.'),
      },
      { description: 'GitLab sends its last pipeline; null if no webhook could be added' },
    ),
  ),
  next_page: nullable(Type.Integer({ description: 'the next page of projects; null at the end' })),
});
