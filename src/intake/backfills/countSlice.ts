import { type BackfillState, withProblem } from './backfill.ts';
import { forgetGone } from './forgetGone.ts';
import { readPage } from './readRun.ts';
import { createdQuery, halve, mostListed, sliceBetween, type Slice } from './slices.ts';
import { obstacleOf, unreadable, type Step, type StepEnd } from './step.ts';

type Uncounted = BackfillState['uncounted'][number];

/** Counts the runs of the next slice: it is read later, or halved where GitHub would not list all of it. */
export async function countSlice(step: Step): Promise<StepEnd> {
  const { client, task, signal } = step;
  const { state, input } = task;
  const done = Number(task.done);
  const slice = state.uncounted.at(-1)!;
  const repository = input.repositories[slice.repository]!;
  const query = { created: createdQuery(slice), per_page: 1 };
  const answer = await client.get(repository, '/actions/runs', { query, signal });
  if (answer.kind === 'refused') {
    const after = withProblem(withoutNext(state), {
      repository,
      message: answer.message,
      isRefused: true,
    });
    return { state: after, done, stoppedBy: null };
  }
  if (answer.kind !== 'data') return { state, done, stoppedBy: obstacleOf(answer) };
  const page = readPage(answer.data, 'workflow_runs');
  if (!page) return { state, done, stoppedBy: unreadable };
  if (page.total === 0) await forgetGone(step, repository, slice);
  const { from, to } = sliceBetween(new Date(input.since), new Date(input.until));
  const hasNone = page.total === 0 && slice.from === from && slice.to === to;
  const explained = hasNone ? await whyNone(client, repository, signal) : null;
  const counted = afterCount(withoutNext(state), repository, slice, page.total);
  return {
    state: explained ? withProblem(counted, { repository, message: explained, isRefused: false }) : counted,
    done,
    stoppedBy: null,
  };
}

function withoutNext(state: BackfillState): BackfillState {
  return { ...state, uncounted: state.uncounted.slice(0, -1) };
}

function afterCount(
  state: BackfillState,
  repository: string,
  slice: Uncounted,
  total: number,
): BackfillState {
  if (total === 0) return state;
  const place = slice.repository;
  const halves = total < mostListed ? null : halve(slice);
  if (halves) {
    const [later, earlier] = halves;
    const of = (half: Slice) => ({ repository: place, ...half });
    return { ...state, uncounted: [...state.uncounted, of(earlier), of(later)] };
  }
  const listed = Math.min(total, mostListed);
  const counted = { ...state, slices: [...state.slices, { ...slice, total: listed }] };
  if (total <= mostListed) return counted;
  const at = new Date(slice.from * 1_000).toISOString();
  const message = `${total} runs were created in the second ${at}; GitHub lists ${mostListed} of them.`;
  return withProblem(counted, { repository, message, isRefused: false });
}

/** Words for a repository without runs in that time, where there is something to say. */
async function whyNone(client: Step['client'], repository: string, signal: AbortSignal) {
  const answer = await client.get(repository, '', { signal });
  const { archived, disabled } = (answer.kind === 'data' ? answer.data : {}) as Record<string, unknown>;
  if (archived === true) return `${repository} is archived and has no runs in that time.`;
  return disabled === true ? `${repository} is disabled at GitHub.` : null;
}
