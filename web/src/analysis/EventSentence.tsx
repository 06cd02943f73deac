import { InText } from '../ui/text.tsx';
import { runAddress } from '../ui/useAddress.ts';
import type { CostChange } from './queries.ts';

type Part = CostChange['events'][number]['sentence_parts'][number];

type Props = {
  parts: readonly Part[];
  workflowId: string | null;
  /** The run of the pull request or commit that it names. */
  runId: string | null;
};

/** What happened and when, with a link to its workflow and to the run that it came from. */
export function EventSentence({ parts, workflowId, runId }: Props) {
  return parts.map(({ text, of }, place) => {
    const isOfRun = of === 'pull_request' || of === 'commit';
    if (of === 'workflow' && workflowId !== null) return link(place, `/workflows/${workflowId}`, text);
    return isOfRun && runId !== null ? link(place, runAddress(runId), text) : text;
  });
}

function link(place: number, href: string, text: string) {
  return (
    <InText key={place} href={href}>
      {text}
    </InText>
  );
}
