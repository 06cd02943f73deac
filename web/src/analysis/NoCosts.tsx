import { Anchor, Skeleton } from '@mantine/core';
import { lazy, Suspense, type ReactNode } from 'react';
import { Link } from 'wouter';
import { Empty } from '../ui/Empty.tsx';
import { useHasRuns } from './queries.ts';
import type { Question } from './question.ts';

const NoRuns = lazy(async () => ({ default: (await import('./NoRuns.tsx')).NoRuns }));

type Props = {
  path: string;
  question: Question;
  searchOf: (next: Question) => string;
};

export function NoCosts(props: Props) {
  return (
    <OrNoRuns>
      <NoMatch {...props} />
    </OrNoRuns>
  );
}

/** What an empty page says; or, without a single run, how to get one, because no other period has any. */
export function OrNoRuns({ children }: { children: ReactNode }) {
  const hasRuns = useHasRuns();
  const waiting = <Skeleton height={160} radius="lg" aria-busy="true" />;
  if (hasRuns.isPending) return waiting;
  return <Suspense fallback={waiting}>{hasRuns.data === false ? <NoRuns /> : children}</Suspense>;
}

function NoMatch({ path, question, searchOf }: Props) {
  const to = (next: Partial<Question>, label: string) => (
    <Anchor component={Link} href={`${path}${searchOf({ ...question, ...next })}`} underline="always">
      {label}
    </Anchor>
  );
  if (question.filters.length > 0)
    return <Empty title="No matching jobs">{to({ filters: [] }, 'Clear filters')}</Empty>;
  const { range } = question;
  // Whoever asked for as much already is not sent there.
  const isLong = range.kind === 'days' && range.days >= 90;
  return (
    <Empty title="Nothing recorded in this period">
      {isLong
        ? 'Choose an earlier period'
        : to({ range: { kind: 'days', days: 90 } }, 'Show the last 90 days')}
      , or{' '}
      <Anchor component={Link} href="/sources" underline="always">
        connect your CI
      </Anchor>
      .
    </Empty>
  );
}
