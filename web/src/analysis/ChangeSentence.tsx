import { dollars, signed } from '../ui/figures.ts';
import { Trend } from '../ui/Trend.tsx';
import { beforeInWords, causeInWords } from './changeWords.ts';
import { EventSentence } from './EventSentence.tsx';
import type { CostChange } from './queries.ts';

type Props = {
  change: CostChange;
  /** Whether all costs belong to one repository, which then need not be named. */
  isOfOne?: boolean;
};

/** What happened on which days, if it shows, and then how much the whole period changed. */
export function ChangeSentence({ change, isOfOne = false }: Props) {
  const [event] = change.events;
  return (
    <>
      {event && (
        <>
          <EventSentence
            parts={event.sentence_parts}
            workflowId={event.workflow?.id ?? null}
            runId={event.origin?.run_id ?? null}
          />{' '}
        </>
      )}
      <Whole change={change} isOfOne={isOfOne} isExplained={event?.explains_half ?? false} />
    </>
  );
}

/** For example `▲ 59% vs previous 30 days (+$1,365.49), mostly from longer jobs in CI · mobile.` */
function Whole({ change, isOfOne, isExplained }: Required<Props> & { isExplained: boolean }) {
  const { value, previous_value: previous, change: difference, jobs, previous_jobs: former } = change.total;
  const before = beforeInWords(change);
  const cause = isExplained ? '' : causeInWords(change, { isOfOne });
  if (jobs + former === 0) return 'No completed jobs in either period.';
  if (value === 0 && previous === 0) return 'Neither period cost anything.';
  if (difference === 0) return `${dollars(value)}, the same as ${before.at}.`;
  if (previous === 0)
    return `${[dollars(value), cause].filter(Boolean).join(' ')}, after nothing ${before.at}.`;
  if (value === 0) return `Nothing, after ${dollars(previous)} ${before.at}.`;
  return (
    <>
      <Trend percent={(difference / previous) * 100} isCost /> vs {before.name} ({signed(difference)})
      {cause && `, ${cause}`}.
    </>
  );
}
