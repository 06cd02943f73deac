import { startOf, withProblem, type BackfillState, type CountedSlice } from './backfill.ts';
import { mostListed } from './slices.ts';

/** The state after GitHub told that the slice being read has so many runs: later ones may have come, and count. */
export function withTold(state: BackfillState, toldRuns: number): BackfillState {
  const { slices, next } = state;
  const slice = slices[next.slice]!;
  // Of a second with more runs than are listed, the rest is told as a problem already.
  if (slice.total === mostListed || toldRuns <= slice.total) return state;
  return { ...state, slices: slices.with(next.slice, { ...slice, total: toldRuns }) };
}

/**
 * Where reading goes on after a page: at the next page, which a short page does not forgo; then at the next slice. A slice
 * that lacks runs is read once more: runs deleted meanwhile move others to pages that have been read.
 */
export function afterPage(
  state: BackfillState,
  repository: string,
  { runsPerPage, isEmpty }: { runsPerPage: number; isEmpty: boolean },
): BackfillState {
  const { next } = state;
  const slice = state.slices[next.slice]!;
  const isLast = isEmpty || next.page * runsPerPage >= Math.min(slice.total, mostListed);
  if (!isLast) return { ...state, next: { ...next, page: next.page + 1, failing: [] } };
  const missing = slice.total - next.handled.length;
  if (missing > 0 && !next.isSecondLook)
    return { ...state, next: { ...next, page: 1, isSecondLook: true, failing: [] } };
  const onward = { ...state, next: startOf(next.slice + 1) };
  if (missing <= 0) return onward;
  return withProblem(onward, {
    repository,
    message: missingText(repository, slice, missing),
    isRefused: false,
  });
}

/** The state without what is left to read of the repository being read, which GitHub has refused. */
export function withoutRepository(state: BackfillState, repository: string, refusal: string): BackfillState {
  const { slices, next } = state;
  const place = slices[next.slice]!.repository;
  const rest = slices.slice(next.slice);
  const left = rest.filter((slice) => slice.repository === place);
  // Those of others may stand between them.
  const others = rest.filter((slice) => slice.repository !== place);
  const unread = left.reduce((sum, { total }) => sum + total, 0) - next.handled.length;
  const message = `${runsText(unread)} of ${repository} could not be read. ${refusal}`;
  const onward = {
    ...state,
    slices: [...slices.slice(0, next.slice), ...left, ...others],
    next: startOf(next.slice + left.length),
  };
  return withProblem(onward, { repository, message, isRefused: true });
}

function missingText(repository: string, { from, to, total }: CountedSlice, missing: number): string {
  const [first, last] = [from, to].map((seconds) => new Date(seconds * 1_000).toISOString().slice(0, 19));
  const span = `created from ${first}Z to ${last}Z`;
  return `${runsText(missing)} of ${repository} ${missing === 1 ? 'is' : 'are'} missing: of those ${span}, GitHub counted ${total} and listed ${total - missing}, asked twice. What was deleted meanwhile is counted with them.`;
}

function runsText(count: number): string {
  return count === 1 ? '1 run' : `${count} runs`;
}
