import { useSession } from '../api/session.ts';
import { longDay } from './figures.ts';
import { Note } from './text.tsx';

/** Explains why a period that begins on this day has costs without details. */
export function RemovedRuns({ from }: { from: string }) {
  const { data: session } = useSession();
  const first = session?.organization.details_from;
  if (!first || from >= first) return null;
  return (
    <Note>
      Runs from before {longDay(first)} were removed, so their details and waste are missing here. Their costs
      still count in Overview and Explore.
    </Note>
  );
}
