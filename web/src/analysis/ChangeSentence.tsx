import { dollars, sentence } from '../ui/figures.ts';
import { Change } from './Change.tsx';
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
  return (
    <>
      <WhatHappened change={change} />
      <Whole change={change} isOfOne={isOfOne} />
    </>
  );
}

/** Why it changed, beside the amounts: what happened on which days and, if that is not most of it, the largest part. */
export function ChangeReason({ change, isOfOne = false }: Props) {
  const cause = change.total.change === 0 ? '' : causeOf({ change, isOfOne });
  return (
    <>
      <WhatHappened change={change} />
      {cause && `${sentence(cause)}.`}
    </>
  );
}

function WhatHappened({ change: { events } }: Props) {
  const [event] = events;
  if (!event) return null;
  return (
    <>
      <EventSentence
        parts={event.sentence_parts}
        workflowId={event.workflow?.id ?? null}
        runId={event.origin?.run_id ?? null}
      />{' '}
    </>
  );
}

function causeOf({ change, isOfOne = false }: Props): string {
  return change.events[0]?.explains_half ? '' : causeInWords(change, { isOfOne });
}

/** For example `+$1,365.49 ▲ 59% vs previous 30 days, mostly from longer jobs in CI · mobile.` */
function Whole({ change, isOfOne }: Required<Props>) {
  const { value, previous_value: previous, change: difference, jobs, previous_jobs: former } = change.total;
  const before = beforeInWords(change);
  const cause = causeOf({ change, isOfOne });
  if (jobs + former === 0) return 'No completed jobs in either period.';
  if (value === 0 && previous === 0) return 'Neither period cost anything.';
  if (difference === 0) return `${dollars(value)}, the same as ${before.at}.`;
  if (previous === 0)
    return `${[dollars(value), cause].filter(Boolean).join(' ')}, after nothing ${before.at}.`;
  if (value === 0) return `Nothing, after ${dollars(previous)} ${before.at}.`;
  return (
    <>
      <Change value={value} previous={previous} metric="cost" /> vs {before.name}
      {cause && `, ${cause}`}.
    </>
  );
}
