import { colorOf } from '../analysis/colors.ts';
import { share } from '../ui/figures.ts';
import './charts.css';

type Props = {
  percent: number;
  /** The place of its color; null: that of others. */
  slot?: number | null;
  /** What fills the bar: the largest share of the list, where all are small. */
  full?: number;
};

export function ShareBar({ percent, slot = 0, full = 100 }: Props) {
  return (
    <span className="shared">
      <span className="share-bar" aria-hidden="true">
        <span
          style={{
            width: percent > 0 && full > 0 ? `max(2px, ${Math.min(100, (100 * percent) / full)}%)` : 0,
            background: colorOf(slot),
          }}
        />
      </span>
      <span className="number">{share(percent / 100)}</span>
    </span>
  );
}
