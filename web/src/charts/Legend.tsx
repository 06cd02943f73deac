import { UnstyledButton } from '@mantine/core';
import { Link } from 'wouter';
import { colorOf } from '../analysis/colors.ts';
import { metrics, type Metric } from '../analysis/words.ts';
import './charts.css';
import { Note } from '../ui/text.tsx';

export type Entry = {
  key: string;
  title: string;
  slot: number | null;
  value: number | null;
  href: string | null;
};

type Props = {
  entries: Entry[];
  metric: Metric;
  glyph: 'bar' | 'line';
  /** Label of the dashed line; null if there is none. */
  previous?: string | null;
  hidden?: ReadonlySet<string>;
  /** Without it, series cannot be hidden. */
  onToggle?: ((key: string) => void) | null;
  onMark: (key: string | null) => void;
  /** Meaning of the mark above a column; null if there is none. */
  warning?: string | null;
  /** Meaning of a pale column; null if there is none. */
  partial?: string | null;
  /** What the amounts refer to, if not to everything in the chart. */
  heading?: string;
};

const none: ReadonlySet<string> = new Set();

/** The swatch hides or shows a series; its name is a link. */
export function Legend({
  entries,
  metric,
  glyph,
  previous = null,
  hidden = none,
  onToggle = null,
  onMark,
  warning = null,
  partial = null,
  heading,
}: Props) {
  const words = metrics[metric];
  return (
    <div className={heading === undefined ? 'legend' : 'legend has-heading'}>
      {heading !== undefined && <div className="legend-heading">{heading}</div>}
      <ul aria-label="Legend" onPointerLeave={() => onMark(null)}>
        {entries.map(({ key, title, slot, value, href }) => (
          <li
            key={key}
            data-color={colorOf(slot)}
            className={hidden.has(key) ? 'is-hidden' : undefined}
            onPointerEnter={() => onMark(key)}
            onFocus={() => onMark(key)}
            onBlur={() => onMark(null)}
          >
            {onToggle ? (
              <UnstyledButton
                className="legend-toggle"
                aria-pressed={!hidden.has(key)}
                aria-label={`Show ${title}`}
                onClick={() => onToggle(key)}
              >
                <Glyph kind={glyph} color={colorOf(slot)} />
              </UnstyledButton>
            ) : (
              <span className="legend-toggle">
                <Glyph kind={glyph} color={colorOf(slot)} />
              </span>
            )}
            {href ? (
              <Link href={href} className="row-link legend-name" title={title}>
                {title}
              </Link>
            ) : (
              <span className="legend-name" title={title}>
                {title}
              </span>
            )}
            <Note span size="xs" className="number legend-amount">
              {value !== null && words.cell(value)}
            </Note>
          </li>
        ))}
        {previous !== null && <Key kind="dashed" color="var(--chart-previous)" title={previous} />}
        {partial !== null && <Key kind="band" color="var(--chart-previous)" title={partial} />}
        {warning !== null && <Key kind="warning" color="var(--chart-over)" title={warning} />}
      </ul>
    </div>
  );
}

type KeyProps = { kind: GlyphKind; color: string; title: string };

function Key({ kind, color, title }: KeyProps) {
  return (
    <li data-color={color}>
      <span className="legend-toggle">
        <Glyph kind={kind} color={color} />
      </span>
      <span className="legend-name">{title}</span>
    </li>
  );
}

type GlyphKind = 'bar' | 'line' | 'dashed' | 'band' | 'warning' | 'beyond' | 'limit';

type KeysProps = { keys: readonly KeyProps[] };

/** The legend of a chart whose marks are not links: one line, in reading order. */
export function Keys({ keys }: KeysProps) {
  return (
    <ul aria-label="Legend" className="keys">
      {keys.map(({ title, ...glyph }) => (
        <li key={title}>
          <Glyph {...glyph} />
          {title}
        </li>
      ))}
    </ul>
  );
}

const size = { width: 14, height: 10, 'aria-hidden': true } as const;

function Glyph({ kind, color }: { kind: GlyphKind; color: string }) {
  if (kind === 'bar') return <span className="swatch" style={{ background: color }} />;
  if (kind === 'band') return <span className="swatch is-band" style={{ background: color }} />;
  if (kind === 'warning')
    return (
      <svg {...size} viewBox="-7 -5 14 10">
        <path d="M0 -4.5L4.5 0L0 4.5L-4.5 0Z" className="warning-mark" />
      </svg>
    );
  if (kind === 'beyond')
    return (
      <svg {...size} viewBox="-7 -5 14 10">
        <path d="M-5 3L0 -4L5 3Z" fill={color} />
      </svg>
    );
  if (kind === 'limit') return <span style={{ width: 2, height: 14, borderRadius: 1, background: color }} />;
  const isDashed = kind === 'dashed';
  return (
    <svg {...size}>
      <path
        d="M0 5H14"
        stroke={color}
        strokeWidth={isDashed ? 1.5 : 2.5}
        strokeDasharray={isDashed ? '4 3' : undefined}
      />
    </svg>
  );
}
