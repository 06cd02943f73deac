import { Type } from 'typebox';
import {
  nullable,
  nullableObject,
  nullableText,
  sampleText,
  usdOf,
  words,
} from '../../platform/http/schemas.ts';
import { repositoryName, workflowPath } from '../../platform/lib/text.ts';

const strict = { additionalProperties: false };

/** Of a repository. Larger files are not workflows. */
const maxFiles = 100;
const maxFileCharacters = 256 * 1024;
export const maxBodyBytes = 4 * 1024 * 1024;

export const fixSample = 'wf_e18db5f418965475a75a.superseded';

export const PatchBody = Type.Object(
  {
    files: Type.Optional(
      Type.Array(
        Type.Object(
          {
            path: Type.String({
              pattern: workflowPath,
              examples: ['.github/workflows/ci.yml'],
            }),
            content: Type.String({ maxLength: maxFileCharacters }),
          },
          strict,
        ),
        {
          minItems: 1,
          maxItems: maxFiles,
          description:
            'workflow files, such as that of the fix; by default those of the default branch, which a GitHub App or the ' +
            'token of a source reads',
        },
      ),
    ),
  },
  { ...strict, examples: [{}] },
);

const ChangedFile = Type.Object({
  path: sampleText('.github/workflows/ci.yml'),
  content: sampleText('on: pull_request\n'),
});

const EstimatedChange = Type.Object({
  monthly_cost: usdOf('that the files cost more or less in 30 days'),
  low: usdOf('of the likely range'),
  high: usdOf('of the likely range'),
  markdown: sampleText('**CI costs about the same a month**', 'with its assumptions'),
});

export const PatchSchema = Type.Object({
  fix_id: sampleText(fixSample),
  repository: sampleText('acme/api'),
  branch: nullableText('main', 'whose files were read; null if you sent them'),
  diff: sampleText(
    '--- a/.github/workflows/ci.yml\n',
    'a unified diff for `git apply`; empty if no file changes',
  ),
  files: Type.Array(ChangedFile, { description: 'the changed files' }),
  changed: Type.Array(sampleText('Limit the time of test to 15 minutes.'), {
    description: 'what the diff does, and what to know before you merge it',
  }),
  by_hand: Type.Array(
    Type.Object({
      text: sampleText('Cancel runs when a newer run of the same branch starts.'),
      path: nullableText('.github/workflows/ci.yml'),
      line: nullable(Type.Integer({ examples: [12] })),
      reason: sampleText('deploy deploys: a canceled deployment can stay half done.'),
      yaml: nullableText('timeout-minutes: 15', 'lines to copy'),
    }),
    { description: 'what is left to you, and why' },
  ),
  estimate: nullableObject(EstimatedChange, 'null if nothing changes, or if it takes too long'),
});

export const PullRequestSchema = Type.Object({
  number: Type.Integer({ examples: [482] }),
  url: sampleText('https://github.com/acme/api/pull/482'),
  state: words(['open', 'closed'] as const, {
    description: 'closed without a merge: Runcost does not open it again',
  }),
  is_new: Type.Boolean({ description: 'false if an earlier request opened it' }),
});

export const FilesQuery = Type.Object({
  repository: Type.String({ pattern: repositoryName.source, maxLength: 255, examples: ['acme/api'] }),
  branch: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'the default branch of the repository if you name none',
      examples: ['fix/ci'],
    }),
  ),
});

export const FilesSchema = Type.Object({
  branch: sampleText('main'),
  commit: sampleText('9fceb02d0ae598e95dc970b74767f19372d61af8'),
  files: Type.Array(ChangedFile),
});
