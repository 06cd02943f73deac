import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { type Answer, type Asked, bodyQuery, dataQuery } from '../../api/query.ts';
import { downloadFile } from '../../ui/download.ts';
import { useChange } from '../../ui/useChange.ts';

export const fixesPath = '/api/v1/waste/fixes';

export type FixesQuery = Asked<typeof fixesPath>;
export type Fixes = Answer<typeof fixesPath>;
export type Fix = Fixes['fixes'][number];
export type Status = Fix['status'];
export type Category = Fixes['categories'][number];
export type CategoryName = Category['category'];
/** A category of waste, or runs that nobody needs. */
export type FixKind = Fix['category'];

/** Waste is not polled, because it reads every job of the period and changes slowly. */
export function useFixes(query: FixesQuery, { enabled = true, staleTime = 60_000 } = {}) {
  return useQuery({
    ...bodyQuery(fixesPath, { query }),
    placeholderData: keepPreviousData,
    staleTime,
    enabled,
  });
}

/** What all fixes, moves to other runners and storage can save a month. */
export function useSavings({ enabled }: { enabled: boolean }) {
  const query = { per_page: 1 };
  const asked = { staleTime: 600_000, enabled };
  const [fixes, moves, storage] = useQueries({
    queries: [
      { ...bodyQuery(fixesPath, { query: { ...query, days: 30, status: 'open' } }), ...asked },
      { ...bodyQuery('/api/v1/moves', { query }), ...asked },
      { ...bodyQuery('/api/v1/storage', { query }), ...asked },
    ],
  });
  return [
    { name: 'fixes', query: fixes, saving: fixes.data?.data.saving_per_month },
    { name: 'other runners', query: moves, saving: moves.data?.data.saving_per_month },
    { name: 'storage', query: storage, saving: storage.data?.data.saving_per_month },
  ];
}

export function useWastefulRuns(query: Asked<'/api/v1/waste/runs'>) {
  return useQuery({
    ...dataQuery('/api/v1/waste/runs', { query }),
    select: ({ runs }) => runs,
    staleTime: 60_000,
  });
}

type Decision = { status: 'done' | 'dismissed'; reason?: string };

/** Null withdraws the decision. */
export function useDecision({ id }: Pick<Fix, 'id'>, { isErrorShown = false } = {}) {
  const path = { id };
  return useChange({
    act: async (decision: Decision | null) => {
      if (decision) await api.PUT(`${fixesPath}/{id}/decision`, { params: { path }, body: decision });
      else await api.DELETE(`${fixesPath}/{id}/decision`, { params: { path } });
      return decision?.status ?? 'open';
    },
    done: (status) => words[status],
    refresh: [[fixesPath]],
    isErrorShown,
  });
}

const fixPath = '/api/v1/fixes/{id}';

/** A second request gives the same pull request, until it is merged. */
export function useOpenFix({ id }: Pick<Fix, 'id'>) {
  return useChange({
    act: async () => (await api.POST(`${fixPath}/pull-request`, { params: { path: { id } } })).data!.data,
    done: ({ number, state, is_new: isNew }) =>
      isNew
        ? `Opened pull request ${number}.`
        : state === 'open'
          ? `Pull request ${number} was opened before.`
          : `Pull request ${number} was closed without a merge. Reopen it at GitHub if you want the fix.`,
  });
}

/** Saves the patch as a file. */
export function usePatch({ id }: Pick<Fix, 'id'>) {
  return useChange({
    act: async () => {
      const { data } = (await api.POST(`${fixPath}/patch`, { params: { path: { id } }, body: {} })).data!;
      if (data.diff === '') throw new Error(data.by_hand.map(({ reason }) => reason).join(' '));
      downloadFile(new Blob([data.diff], { type: 'text/x-diff' }), 'fix.patch');
      return data;
    },
    done: ({ by_hand: left }) =>
      `Saved fix.patch. Apply it with \`git apply fix.patch\`.${left.length > 0 ? ` Left to you: ${left.map(({ reason }) => reason).join(' ')}` : ''}`,
  });
}

const words: Record<Status, string> = {
  open: 'Reopened.',
  done: 'Marked as done. Check back in eight days to see what it saved.',
  dismissed: 'Dismissed.',
};
