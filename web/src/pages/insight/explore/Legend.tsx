import { ScrollArea, Text, UnstyledButton } from '@mantine/core';
import { Link } from 'wouter';
import { colorOf } from '../../../analysis/colors.ts';
import { metrics, type Metric } from '../../../analysis/words.ts';

export type Entry = { key: string; title: string; slot: number | null; value: number; href: string | null };

type Props = {
  entries: Entry[];
  metric: Metric;
  glyph: 'bar' | 'line';
  /** Of the dashed line; null if there is none. */
  previous: string | null;
  hidden: ReadonlySet<string>;
  /** Without it, nothing can be hidden. */
  onToggle: ((key: string) => void) | null;
  onMark: (key: string | null) => void;
};

/** The swatch hides and shows; the name leads to the part. */
export function Legend({ entries, metric, glyph, previous, hidden, onToggle, onMark }: Props) {
  const words = metrics[metric];
  return (
    <ScrollArea id="explore-legend" className="legend" type="auto" scrollbarSize={6}>
      <ul aria-label="Legend" onPointerLeave={() => onMark(null)}>
        {entries.map(({ key, title, slot, value, href }) => (
          <li
            key={key}
            data-color={colorOf(slot)}
            className={hidden.has(key) ? 'is-hidden' : undefined}
            onPointerEnter={() => onMark(key)}
          >
            {onToggle ? (
              <UnstyledButton
                className="legend-toggle"
                aria-pressed={!hidden.has(key)}
                aria-label={`Show ${title}`}
                onClick={() => onToggle(key)}
              >
                <Glyph kind={glyph} slot={slot} />
              </UnstyledButton>
            ) : (
              <span className="legend-toggle">
                <Glyph kind={glyph} slot={slot} />
              </span>
            )}
            {href ? (
              <Link href={href} className="row-link legend-name">
                {title}
              </Link>
            ) : (
              <span className="legend-name">{title}</span>
            )}
            <Text span size="xs" c="dimmed" className="number legend-amount">
              {words.cell(value)}
            </Text>
          </li>
        ))}
        {previous !== null && (
          <li data-color="var(--chart-previous)">
            <span className="legend-toggle">
              <svg width="14" height="10" aria-hidden="true">
                <path d="M0 5H14" stroke="var(--chart-previous)" strokeWidth="1.5" strokeDasharray="4 3" />
              </svg>
            </span>
            <span className="legend-name">{previous}</span>
          </li>
        )}
      </ul>
    </ScrollArea>
  );
}

function Glyph({ kind, slot }: { kind: Props['glyph']; slot: number | null }) {
  if (kind === 'bar') return <span className="swatch" style={{ background: colorOf(slot) }} />;
  return (
    <svg width="14" height="10" aria-hidden="true" style={{ color: colorOf(slot) }}>
      <path d="M0 5H14" stroke="currentColor" strokeWidth="2.5" />
    </svg>
  );
}
