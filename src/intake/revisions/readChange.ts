import { statSync } from 'node:fs';
import { invalid } from '../../platform/lib/errors.ts';
import { repositoryName } from '../../platform/lib/text.ts';
import { providers } from '../providers/providers.ts';
import { originRepository, readRevision, type Side } from './revision.ts';

const readers = providers.flatMap(({ id, workflowFiles }) => (workflowFiles ? [{ id, workflowFiles }] : []));

export type Compared = {
  /** Folder of the clone that contains the refs. */
  folder: string;
  base?: string | undefined;
  head?: string | undefined;
  repository?: string | undefined;
  provider?: string | undefined;
};

/** Each revision is a folder or a ref. Runs none of their code. */
export async function readChange({ folder, base, head, repository, provider }: Compared) {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw invalid('folder', `must be a folder of this computer, not ${folder}`);
  if (repository !== undefined && !repositoryName.test(repository))
    throw invalid('repository', 'must be owner/name, such as acme/api');
  const kinds = readers.filter(({ id }) => provider === undefined || id === provider);
  const read = async (side: Side, given: string | undefined) => ({
    files: await readRevision(
      { side, given, folder },
      kinds.map(({ workflowFiles }) => workflowFiles),
    ),
  });
  return {
    repository: repository ?? (await originRepository(folder)),
    ...(provider !== undefined && { provider }),
    base: await read('base', base),
    head: await read('head', head),
  };
}
