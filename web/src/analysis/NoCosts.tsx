import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Empty } from '../ui/Empty.tsx';
import { useCosts } from './queries.ts';
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
  return <Nothing question={question} to={to} />;
}

type To = (next: Partial<Question>, label: string) => ReactNode;

/** If nothing was ever recorded, a longer period would be empty too. */
function Nothing({ question: { range }, to }: { question: Question; to: To }) {
  const ever = useCosts({ days: 365, metric: 'jobs', granularity: 'total' }).data?.total.value;
  // Suggesting a longer period makes no sense if the range is long already.
  const isLong = range.kind === 'days' && range.days >= 90;
  return (
    <Empty title={ever === 0 ? 'Nothing recorded yet' : 'Nothing recorded in this period'}>
      {ever === 0 ? (
        'Costs appear here once your CI reports its first run: '
      ) : (
        <>
          {isLong
            ? 'Choose an earlier period'
            : to({ range: { kind: 'days', days: 90 } }, 'Show the last 90 days')}
          , or{' '}
        </>
      )}
      <Anchor component={Link} href="/sources" underline="always">
        connect your CI
      </Anchor>
      .
    </Empty>
  );
}
