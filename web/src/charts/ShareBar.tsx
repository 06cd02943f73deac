import { colorOf } from '../analysis/colors.ts';
import { share } from '../ui/figures.ts';
import './charts.css';

type Props = {
  percent: number;
  /** The place of its color; null: that of others. */
  slot?: number | null;
};

export function ShareBar({ percent, slot = 0 }: Props) {
  return (
    <span className="shared">
      <span className="share-bar" aria-hidden="true">
        <span style={{ width: `${Math.max(0, Math.min(100, percent))}%`, background: colorOf(slot) }} />
      </span>
      <span className="number">{share(percent / 100)}</span>
    </span>
  );
}
