import { colorOf } from '../analysis/colors.ts';
import { share } from '../ui/figures.ts';
import './charts.css';

type Props = {
  percent: number;
  /** The color slot; null for the color of all others. */
  slot?: number | null;
  /** A row that sums up many has no bar, because it cannot be compared with the others. */
  isMany?: boolean;
  /** The percentage of a full bar. Below 100, the bar has no track. */
  full?: number;
};

/** A full bar is 100%, or less in Explore if all shares are small. */
export function PercentBar({ percent, slot = 0, isMany = false, full = 100 }: Props) {
  return (
    <span className="shared">
      {!isMany && (
        <span className={full < 100 ? 'share-bar is-relative' : 'share-bar'} aria-hidden="true">
          <span
            style={{
              width: percent > 0 ? `max(4px, ${Math.min(100, (100 * percent) / full)}%)` : 0,
              background: colorOf(slot),
            }}
          />
        </span>
      )}
      <span className="number">{share(percent / 100)}</span>
    </span>
  );
}
