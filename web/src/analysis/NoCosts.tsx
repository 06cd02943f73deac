import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { Empty } from '../ui/Empty.tsx';
import type { Question } from './question.ts';

type Props = {
  path: string;
  question: Question;
  searchOf: (next: Question) => string;
};

export function NoCosts({ path, question, searchOf }: Props) {
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
