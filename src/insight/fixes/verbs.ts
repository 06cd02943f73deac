import { leavingOf } from '../../platform/http/leaving.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { estimateView } from '../estimates/views.ts';
import { getPatch, openFix, readFiles, type FixContext } from './propose.ts';
import {
  FilesQuery,
  FilesSchema,
  fixSample,
  maxBodyBytes,
  PatchBody,
  PatchSchema,
  PullRequestSchema,
} from './schema.ts';

const verb = verbsWith<VerbContext & FixContext>();

const params = idParams(fixSample);
/** It shows files of repositories, which viewers of costs may not see. */
const read = { tag: 'Waste', access: { scope: 'waste:write', role: 'member' } } as const;

export const fixVerbs = [
  verb({
    ...read,
    name: 'fix patch',
    at: 'POST /fixes/:id/patch',
    title: 'Get a fix as a patch',
    description:
      'The lines of the workflow files that a fix of `GET /waste/fixes` or `GET /storage` changes, and what the change ' +
      'costs. Comments and order stay. What is not certain stays too, with the reason and the lines to copy. Changes nothing.',
    params,
    body: PatchBody,
    bodyIsOptional: true,
    maxBodyBytes,
    answer: PatchSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id }, body }, { reply }) => {
      const { fix, patch, branch, estimate } = await getPatch(
        ctx,
        { id, files: body.files },
        leavingOf(reply),
      );
      const view = estimate && estimateView(estimate);
      return {
        fix_id: id,
        repository: fix.repository,
        branch,
        diff: patch.diff,
        files: patch.files,
        changed: patch.changed,
        by_hand: patch.byHand,
        estimate: view && { ...view.change, markdown: view.markdown },
      };
    },
  }),
  verb({
    tag: 'Waste',
    access: { scope: 'admin', role: 'admin' },
    name: 'fix open',
    at: 'POST /fixes/:id/pull-request',
    title: 'Open a pull request with a fix',
    description:
      'The GitHub App makes a branch with one commit, and opens a pull request with the evidence and the estimate. ' +
      'It never changes the default branch. Off until `PUT /pull-request-settings` turns it on. A second request returns ' +
      'the same pull request. If it was merged and the fix came back, the App opens another one.',
    params,
    answer: PullRequestSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id } }, { reply }) => {
      const { isNew, ...opened } = await openFix(ctx, id, leavingOf(reply));
      return { ...opened, is_new: isNew };
    },
  }),
  verb({
    ...read,
    name: 'workflow-file list',
    at: 'GET /workflow-files',
    title: 'List the workflow files of a repository',
    description:
      'Read from GitHub with a GitHub App or the token of a source, at the newest commit of a branch. `POST /estimates` ' +
      'takes them.',
    query: FilesQuery,
    answer: FilesSchema,
    columns: ['path', 'content'],
    faults: [409],
    run: async (ctx, { query: { repository, branch } }) => {
      const { files, ...head } = await readFiles(ctx, { provider: null, repository, branch: branch ?? null });
      return { branch: head.branch, commit: head.commit, files };
    },
  }),
];
