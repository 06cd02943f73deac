import type { Standing } from '../../../alerts/budgets.ts';
import type { ListedAlert } from '../../../alerts/types.ts';
import { When } from '../../../ui/When.tsx';

type Props = { alert: Pick<ListedAlert, 'last_triggered_at'>; standing: Standing };

/** An alert that went over its threshold since the last check has not triggered yet. */
export function LastTriggered({ alert: { last_triggered_at: at }, standing }: Props) {
  if (at !== null) return <When at={at} />;
  return standing === 'over' ? 'Not yet' : 'Never';
}
