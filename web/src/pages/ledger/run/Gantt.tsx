import { Box, Group } from '@mantine/core';
import type { CSSProperties } from 'react';
import { colorOf, slotsFor } from '../../../analysis/colors.ts';
import { duration } from '../../../ui/figures.ts';
import { Note } from '../../../ui/text.tsx';
import type { Job } from './queries.ts';
import type { Bar, Span, Timeline } from './timeline.ts';
import './gantt.css';

export function runnerOf({ receipt, labels, runner_name }: Job): string {
  return (
    receipt.price_book?.row ?? receipt.runner_title ?? (labels.join(', ') || runner_name) ?? 'unknown runner'
  );
}

/** Colors by runner across all attempts, so that a runner has the same color in each. */
export function runnerColors(jobs: readonly Job[]): ReadonlyMap<string, string> {
  const runners = [...new Set(jobs.map(runnerOf))];
  const slots = slotsFor(runners);
  return new Map(runners.map((runner, place) => [runner, colorOf(slots[place]!)]));
}

export function GanttAxis({ ticks }: Pick<Timeline, 'ticks'>) {
  return (
    <span className="gantt-axis" aria-hidden="true">
      {ticks.map(({ at, seconds }) => (
        <span
          key={seconds}
          className={at > 0.93 ? 'at-the-end' : undefined}
          style={{ insetInlineStart: `${at * 100}%` }}
        >
          {seconds === 0 ? '0' : duration(seconds)}
        </span>
      ))}
    </span>
  );
}

export function GanttBar({ job, bar, color }: { job: Job; bar: Bar; color: string }) {
  return (
    <span
      className="gantt-bar"
      role="img"
      aria-label={inWords(job)}
      title={inWords(job)}
      style={{ '--runner': color } as CSSProperties}
    >
      <Part name="waiting" span={bar.waiting} />
      <Part name="running" span={bar.running} />
      <Part name="rounding" span={bar.rounding} />
    </span>
  );
}

function Part({ name, span }: { name: string; span: Span | null }) {
  if (!span) return null;
  const style = { insetInlineStart: `${span.start * 100}%`, width: `${(span.end - span.start) * 100}%` };
  return <span className={name} style={style} />;
}

function inWords({ receipt, created_at: created, started_at: started, status, ...job }: Job): string {
  if (receipt.is_carried_over) return 'copied from an earlier attempt';
  const waited = created && started ? Math.round((Date.parse(started) - Date.parse(created)) / 1_000) : 0;
  const parts = [
    ...(waited > 0
      ? [`waited ${duration(waited)}${job.awaited_approval ? ', also for an approval' : ''}`]
      : []),
    ...(status === 'in_progress' ? ['running'] : []),
    ...(receipt.seconds > 0 ? [`ran ${duration(Math.round(receipt.seconds))}`] : []),
    ...(receipt.rounding === 'minute' && receipt.billed_minutes * 60 > receipt.seconds
      ? [`billed as ${duration(receipt.billed_minutes * 60)}`]
      : []),
  ];
  return parts.join(', ') || 'did not run';
}

type GanttRow = { job: Job; bar: Bar; color: string };

export function GanttLegend({ rows }: { rows: readonly GanttRow[] }) {
  const ran = rows.filter(({ bar }) => bar.running);
  const colors = new Map(ran.map(({ job, color }) => [runnerOf(job), color]));
  return (
    <Group gap="md" className="gantt-legend">
      {[...colors].map(([runner, color]) => (
        <Entry key={runner} name="running" color={color} text={runner} />
      ))}
      {rows.some(({ bar }) => bar.waiting) && <Entry name="waiting" text="Waiting" />}
      {rows.some(({ bar }) => bar.rounding) && (
        <Entry name="rounding" color="var(--mantine-color-dimmed)" text="Rounded up" />
      )}
    </Group>
  );
}

function Entry({ name, color, text }: { name: string; color?: string; text: string }) {
  return (
    <Group gap={6} wrap="nowrap">
      <Box component="span" className="gantt-bar" aria-hidden="true" style={{ '--runner': color }}>
        <span className={name} style={{ insetInlineStart: 0, width: '100%' }} />
      </Box>
      <Note>{text}</Note>
    </Group>
  );
}
