import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Step } from '../analysis/changeSteps.ts';
import { signed } from '../ui/figures.ts';
import './charts.css';
import { Money } from '../ui/text.tsx';
import { stepsInCents, waterfallOf } from './waterfall.ts';

type End = { label: string; amount: number };

type Props = {
  label: string;
  before: End;
  steps: readonly (Step & { about: string })[];
  now: End;
  /** The scale is cut only if the steps take less than this part of the width. A cut scale exaggerates large steps. */
  cutsBelow?: number;
};

/** Shows how one amount becomes another, step by step. It is a table, so that it reads as text too. */
export function Waterfall({ label, before, steps: exactSteps, now, cutsBelow }: Props) {
  const steps = stepsInCents(before.amount, exactSteps, now.amount);
  const { isCut, bars, ends } = waterfallOf(before.amount, steps, cutsBelow);
  return (
    <table aria-label={label} className="waterfall">
      <tbody>
        <Row label={before.label} bar={<Bar {...ends[0]} kind={isCut ? 'total is-cut' : 'total'} />}>
          <Money amount={before.amount} />
        </Row>
        {steps.map(({ key, label: name, about, amount }, index) => (
          <Row
            key={key}
            label={name}
            about={about}
            bar={<Bar {...bars[index]!} kind={amount > 0 ? 'up' : 'down'} />}
          >
            <span className={amount > 0 ? 'is-up' : 'is-down'}>{signed(amount)}</span>
          </Row>
        ))}
        <Row label={now.label} bar={<Bar {...ends[1]} kind={isCut ? 'total is-cut' : 'total'} />}>
          <b>
            <Money amount={now.amount} />
          </b>
        </Row>
      </tbody>
    </table>
  );
}

type RowProps = { label: string; about?: string; bar: ReactNode; children: ReactNode };

function Row({ label, about, bar, children }: RowProps) {
  return (
    <tr>
      <th scope="row">
        {label}
        {about && (
          <Text span inherit fw={400} c="dimmed" className="waterfall-about">
            {' '}
            {about}
          </Text>
        )}
      </th>
      <td className="waterfall-track" aria-hidden="true">
        <div>{bar}</div>
      </td>
      <td className="number">{children}</td>
    </tr>
  );
}

function Bar({ from, to, kind }: { from: number; to: number; kind: string }) {
  return (
    <span
      className={`waterfall-bar is-${kind}`}
      style={{ left: `${100 * from}%`, width: `max(2px, ${100 * (to - from)}%)` }}
    />
  );
}
