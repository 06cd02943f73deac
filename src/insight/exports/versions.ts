import { invalid } from '../../platform/lib/errors.ts';
import type { DatasetName, FocusVersion, StoredDataset } from './tables.ts';

type Asked = { dataset: DatasetName; version?: FocusVersion | undefined };

const focusOnly = 'must be left out: only FOCUS datasets have a version';

export function storedDataset({ dataset, version }: Asked): StoredDataset {
  const known = shownDataset(dataset).version;
  if (version === undefined || version === known) return dataset;
  if (dataset === 'focus') return 'focus-1.4';
  throw invalid(
    'version',
    known === null ? focusOnly : `must be ${known}: FOCUS ${version} has no ${dataset}`,
  );
}

export function shownDataset(stored: StoredDataset): { dataset: DatasetName; version: FocusVersion | null } {
  if (stored === 'focus-1.4') return { dataset: 'focus', version: '1.4' };
  if (stored === 'focus') return { dataset: stored, version: '1.3' };
  return { dataset: stored, version: stored.startsWith('focus_') ? '1.4' : null };
}
