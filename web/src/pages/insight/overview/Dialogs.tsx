import { type View } from '../../../parts/costs/costView.ts';
import { dayIn, oneOf, useAddress, useDropped } from '../../../ui/useAddress.ts';
import { DayDialog } from './DayDialog.tsx';
import { FlagDialog, flagNames } from './FlagDialog.tsx';
import { useDay } from './queries.ts';

/** Dialogs that the address opens over the page. */
export function Dialogs({ view }: { view: View }) {
  const [params, change] = useAddress();
  const day = dayIn(params, 'day');
  // The day may be in the future, or before the history of the plan.
  const isHiddenDay = useDay(view, day).error !== null;
  useDropped(['day'], params.has('day') && (day === null || isHiddenDay));
  const flag = oneOf(flagNames, params.get('flag'), null);
  if (day && !isHiddenDay) return <DayDialog view={view} day={day} onClose={() => change({ day: null })} />;
  return flag && <FlagDialog key={flag} flag={flag} onClose={() => change({ flag: null })} />;
}
