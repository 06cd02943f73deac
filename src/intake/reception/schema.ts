import { Type } from 'typebox';
import {
  Name,
  nullableObject,
  nullableText,
  nullableTimestampOf,
  readOnlyFields,
  sampleText,
  Timestamp,
  words,
} from '../../platform/http/schemas.ts';
import { icons } from '../providers/provider.ts';
import { webhookProviders } from '../providers/providers.ts';

const kinds = words(webhookProviders.map(({ id }) => id));

export const SourceSchema = Type.Object({
  id: Type.String({ examples: ['src_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_a266412d4c61df5d'] }),
  kind: kinds,
  name: sampleText('GitHub of acme'),
  ingest_url: Type.String({
    description: "the webhook's payload URL",
    examples: [
      'https://runcost.acme.example/api/v1/ingest/src_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_a266412d4c61df5d',
    ],
  }),
  created_at: Timestamp,
  last_event_at: nullableTimestampOf('to the minute'),
  github_app: nullableObject(
    Type.Object({
      page_url: sampleText('https://github.com/apps/runcost-acme', 'its page at GitHub'),
      created_by: sampleText('session of mona@acme.example', 'who connected it'),
    }),
    'the GitHub App that Runcost created for this source; null for other sources',
  ),
  has_credentials: Type.Boolean({
    description: 'whether it has a token or a GitHub App, which backfills and nightly checks need',
    examples: [true],
  }),
  has_app_key: Type.Boolean({
    description: "whether it has a GitHub App's credentials, which comments on pull requests need",
    examples: [true],
  }),
});

export const SourceKindSchema = Type.Object({
  kind: kinds,
  title: sampleText('GitHub'),
  has_backfills: Type.Boolean({ description: 'whether its API can read past runs' }),
  has_usage_data: Type.Boolean({ description: 'whether its usage data can name the runners of jobs' }),
  icon: words(icons),
  about: sampleText('Paste a token once: Runcost adds the webhook to your group or project.'),
  guided_page: nullableText('/sources/gitlab', 'the page of Runcost that connects it step by step, if any'),
  run_pattern: sampleText(
    '(?:^|/pipelines/)([0-9]{4,})(?=$|[/?#])',
    "a regular expression that finds a run's id, as its first group, in the id or in the address of its page",
  ),
  how_to_connect: Type.Object(
    {
      hosted_title: sampleText('GitHub', 'its hosted service'),
      url_label: sampleText('Payload URL', 'its name for the address'),
      secret_label: sampleText('Secret', 'its name for the secret'),
      intro: sampleText(
        'For all repositories, open **Settings › Webhooks › Add webhook** of your organization at GitHub.',
      ),
      steps: Type.Array(sampleText('Choose the content type `application/json`.')),
      first_event: sampleText('As soon as you add the webhook.', 'when the first event comes'),
      first_run: sampleText('With the next run of any workflow.', 'when the first run comes'),
      deliveries_place: sampleText(
        'open the webhook and its tab “Recent Deliveries”',
        'where it lists deliveries and their answers',
      ),
    },
    { description: 'Intro and steps contain Markdown for bold, code and links' },
  ),
});

export const CreatedSourceSchema = Type.Object({
  ...SourceSchema.properties,
  secret: sampleText(
    '4c1d7e9a2b5f8063d1e4',
    "the webhook's secret, or secret token at GitLab; shown only once",
  ),
});

export const NewSourceBody = Type.Object(
  {
    kind: kinds,
    name: Type.Optional(Name),
    ...readOnlyFields(
      'id',
      'ingest_url',
      'created_at',
      'last_event_at',
      'github_app',
      'has_credentials',
      'has_app_key',
    ),
  },
  { additionalProperties: false, examples: [{ kind: 'github', name: 'GitHub' }] },
);

export const EventHeaders = Type.Object({
  'X-GitHub-Event': Type.Optional(
    Type.String({ description: 'from GitHub: the name of the event', examples: ['workflow_job'] }),
  ),
});

/** The example is GitHub's, because every provider has its own events. */
export const EventBody = Type.Object(
  {},
  {
    description:
      "The provider's event, signed as the provider documents it. The example is GitHub's, reduced to the fields that Runcost reads.",
    examples: [
      {
        action: 'completed',
        workflow_job: {
          id: 8_000_000_001,
          run_id: 7_000_000_001,
          run_attempt: 1,
          name: 'test',
          workflow_name: 'Build',
          head_branch: 'main',
          status: 'completed',
          conclusion: 'success',
          labels: ['ubuntu-latest'],
          created_at: '2026-03-17T10:00:00Z',
          started_at: '2026-03-17T10:00:05Z',
          completed_at: '2026-03-17T10:06:10Z',
        },
        repository: { full_name: 'acme/api' },
      },
    ],
  },
);

export const ReceptionSchema = Type.Object({
  status: words(['recorded', 'ignored', 'pong'], { description: '`pong` answers a ping' }),
  event: sampleText('workflow_run'),
  reason: Type.Optional(
    sampleText('only workflow_run, workflow_job and pull_request events are recorded', 'why it was ignored'),
  ),
});
