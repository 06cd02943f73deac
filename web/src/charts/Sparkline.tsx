import './charts.css';
import { sparkPath } from './series.ts';

const [width, height] = [100, 30];
/** With fewer values, the line would be a meaningless hook. */
const minValues = 3;

type Props = {
  values: readonly number[];
  /** Forecast values, drawn as a dashed line. */
  expected?: readonly number[];
};

/** A small line chart that fills its container. The figure beside it is its text alternative. */
export function Sparkline({ values, expected = [] }: Props) {
  if (values.filter((value) => value !== 0).length < minValues)
    return <span className="sparkline is-to-come" />;
  const all = [...values, ...expected];
  const known = values.length < 2 ? '' : sparkPath(all, width, height, [0, values.length]);
  const coming = expected.length === 0 ? '' : sparkPath(all, width, height, [values.length - 1, all.length]);
  return (
    <svg
      viewBox={`0 -1 ${width} ${height + 2}`}
      preserveAspectRatio="none"
      className="sparkline"
      aria-hidden="true"
    >
      {known && <path d={`${known}V${height}H0Z`} className="sparkline-area" />}
      <path d={known || `M0 ${height}H${width}`} className="spark" />
      {coming && <path d={coming} className="spark is-expected" />}
    </svg>
  );
}
