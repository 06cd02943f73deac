import { Type } from 'typebox';
import { nullable, nullableText, sampleText, Timestamp } from '../../platform/http/schemas.ts';

const sourceId = 'src_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_a266412d4c61df5d';

export const NewGitHubAppBody = Type.Object(
  {
    organization: Type.Optional(
      nullable(
        Type.String({
          pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$',
          description: 'the organization at GitHub that will own the App; null means your own account',
        }),
      ),
    ),
    is_reachable: Type.Optional(
      Type.Boolean({
        description:
          'whether GitHub can send events to this server; by default, whether its public address looks like one on ' +
          'the internet. If not, Runcost asks GitHub for new runs every 10 minutes.',
      }),
    ),
    may_comment: Type.Optional(
      Type.Boolean({
        description:
          'whether the App asks for the rights to write pull requests and checks, and to read files, for estimates of ' +
          'workflow changes; `PUT /pull-request-settings` turns comments on. By default it may only read runs and pull requests.',
      }),
    ),
    may_open_fixes: Type.Optional(
      Type.Boolean({
        description:
          'whether the App asks for the rights to write files, workflows and pull requests, for pull requests with fixes; ' +
          '`PUT /pull-request-settings` turns them on',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ organization: 'acme' }] },
);

export const StartedGitHubAppSchema = Type.Object({
  source_id: sampleText(sourceId, 'the id that the source will get when the App exists'),
  form_url: sampleText(
    'https://github.com/organizations/acme/settings/apps/new?state=src_…',
    "where a person's browser posts the field `manifest`; GitHub sends it back with `code` and `state`",
  ),
  manifest: sampleText(
    '{"name":"Runcost acme","url":"https://runcost.acme.example"}',
    'JSON, to post as it is',
  ),
  expires_at: Timestamp,
});

export const GitHubCodeBody = Type.Object(
  {
    code: Type.String({ pattern: '^[A-Za-z0-9_-]{1,200}$' }),
    state: Type.String({ minLength: 1, maxLength: 300 }),
  },
  {
    additionalProperties: false,
    examples: [{ code: 'a180b1a3d263c81bc6441d7b990bae27d4c10679', state: `${sourceId}.Yb2…` }],
  },
);

export const CreatedGitHubAppSchema = Type.Object({
  source_id: sampleText(sourceId),
  install_url: sampleText(
    'https://github.com/apps/runcost-acme/installations/new',
    'where a person chooses the repositories that the App may read; GitHub then sends the browser back with ' +
      '`installation_id`',
  ),
});

export const GitHubInstallationBody = Type.Object(
  { installation_id: Type.String({ pattern: '^[0-9]{1,20}$' }) },
  { additionalProperties: false, examples: [{ installation_id: '48151623' }] },
);

export const InstalledGitHubAppSchema = Type.Object({
  source_id: sampleText(sourceId),
  is_reachable: Type.Boolean({
    description: 'false means that Runcost asks GitHub for new runs every 10 minutes',
  }),
  repositories: Type.Integer({
    description: 'repositories that the App may read and the first backfill reads, at most 100',
  }),
  backfill_id: nullableText(
    'bkf_2c9e6a4f8b1d0357e2a6',
    'reads the last 30 days, maybe since an earlier call; null without repositories',
  ),
});
