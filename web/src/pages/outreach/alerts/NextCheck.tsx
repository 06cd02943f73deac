import type { ListedAlert } from '../../../alerts/types.ts';
import { useNow } from '../../../ui/browserFacts.ts';
import { When } from '../../../ui/When.tsx';
import { nextCheck } from './alertFields.ts';

export function NextCheck({ alert }: { alert: Pick<ListedAlert, 'check_frequency'> }) {
  return <When at={nextCheck(alert.check_frequency, useNow()).toISOString()} isNext />;
}
