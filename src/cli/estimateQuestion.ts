import { statSync } from 'node:fs';
import type { EstimateQuestion } from '../insight/estimates/estimate.ts';
import { providers } from '../intake/providers/providers.ts';
import { invalid } from '../platform/lib/errors.ts';
import { repositoryName } from '../platform/lib/text.ts';
import { originRepository, readRevision } from './revision.ts';

const readers = providers.flatMap(({ id, workflowFiles }) => (workflowFiles ? [{ id, workflowFiles }] : []));

/** Providers whose workflow files we can read. */
export const estimateProviders = readers.map(({ id }) => id);

type Compared = {
  /** Folder of the clone that contains the refs. */
  folder: string;
  base?: string | undefined;
  head?: string | undefined;
  repository?: string | undefined;
  provider?: string | undefined;
  days: number;
};

/**
 * Reads the workflow files of both revisions, each of which is a folder or a ref. Runs none of their code.
 */
export async function readEstimateQuestion(compared: Compared): Promise<EstimateQuestion> {
  const { folder, base, head, repository, provider, days } = compared;
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw invalid('folder', `must be a folder of this computer, not ${folder}`);
  if (repository !== undefined && !repositoryName.test(repository))
    throw invalid('repository', 'must be owner/name, such as acme/api');
  const kinds = readers.filter(({ id }) => provider === undefined || id === provider);
  const read = async (option: '--base' | '--head', given: string | undefined) => ({
    files: await readRevision(
      { option, given, folder },
      kinds.map(({ workflowFiles }) => workflowFiles),
    ),
  });
  return {
    repository: repository ?? (await originRepository(folder)),
    ...(provider !== undefined && { provider }),
    base: await read('--base', base),
    head: await read('--head', head),
    days,
  };
}
