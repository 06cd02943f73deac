import { colorOf } from '../analysis/colors.ts';
import { share } from '../ui/figures.ts';
import './charts.css';

type Props = {
  percent: number;
  /** The place of its color; null: that of others. */
  slot?: number | null;
  /** What is many together is no bar to compare with the others. */
  isMany?: boolean;
};

/** A full bar is 100%, in every list. */
export function ShareBar({ percent, slot = 0, isMany = false }: Props) {
  return (
    <span className="shared">
      {!isMany && (
        <span className="share-bar" aria-hidden="true">
          <span
            style={{
              width: percent > 0 ? `max(2px, ${Math.min(100, percent)}%)` : 0,
              background: colorOf(slot),
            }}
          />
        </span>
      )}
      <span className="number">{share(percent / 100)}</span>
    </span>
  );
}
