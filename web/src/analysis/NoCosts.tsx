import type { ReactNode } from 'react';
import { Empty } from '../ui/Panel.tsx';
import { TextLink } from '../ui/text.tsx';
import { useCosts } from './queries.ts';
import type { Question } from './question.ts';

type Props = {
  path: string;
  question: Question;
  searchOf: (next: Question) => string;
  /** What else can be the reason, if something was recorded. */
  otherwise?: Link;
};

type Link = { href: string; label: string };

const connect: Link = { href: '/sources', label: 'connect your CI' };

export function NoCosts({ path, question, searchOf, otherwise = connect }: Props) {
  const to = (next: Partial<Question>, label: string) => (
    <TextLink href={`${path}${searchOf({ ...question, ...next })}`} underline="always">
      {label}
    </TextLink>
  );
  if (question.filters.length > 0)
    return <Empty title="No matching jobs">{to({ filters: [] }, 'Clear filters')}</Empty>;
  return <Nothing question={question} to={to} otherwise={otherwise} />;
}

type To = (next: Partial<Question>, label: string) => ReactNode;

type NothingProps = { question: Question; to: To; otherwise: Link };

/** If nothing was ever recorded, a longer period would be empty too. */
function Nothing({ question: { range }, to, otherwise }: NothingProps) {
  const ever = useCosts({ days: 365, metric: 'jobs', granularity: 'total' }).data?.total.value;
  // Suggesting a longer period makes no sense if the range is long already.
  const isLong = range.kind === 'days' && range.days >= 90;
  const { href, label } = ever === 0 ? connect : otherwise;
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
      <TextLink href={href} underline="always">
        {label}
      </TextLink>
      .
    </Empty>
  );
}
