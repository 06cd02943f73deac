import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/client.ts';
import { showMessage } from './messages.ts';
import { reasonOf } from './outages.ts';

type Change<Input, Output> = {
  act: (input: Input) => Promise<Output>;
  done?: string | ((output: Output) => string);
  /** Key prefixes of the queries to reload afterwards. */
  refresh?: unknown[][];
  /** For forms that show errors beside their fields. */
  isErrorShown?: boolean;
};

export function useChange<Input, Output>({ act, done, refresh = [], isErrorShown }: Change<Input, Output>) {
  const queryClient = useQueryClient();
  return useMutation<Output, Error, Input>({
    mutationFn: act,
    onSuccess: (output) => {
      const message = typeof done === 'function' ? done(output) : done;
      if (message) showMessage({ text: message, color: 'green' });
    },
    onError: (error) => {
      if (isErrorShown) return;
      showMessage({ title: 'Something went wrong', text: reasonOf(error), color: 'red' });
    },
    onSettled: () => Promise.all(refresh.map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  });
}

/** The server's error for a field or anything inside it; null if there is none. */
export function errorOf(error: Error | null, field: string): string | null {
  if (!(error instanceof ApiError)) return null;
  const isOf = (path: string) =>
    path === field || ['.', '/', '['].some((mark) => path.startsWith(field + mark));
  return Object.entries(error.fields).find(([path]) => isOf(path))?.[1] ?? null;
}

/** What a page itself finds wrong in a field. */
export function faultAt(field: string, message: string): ApiError {
  return new ApiError(0, { detail: message, errors: [{ path: field, message }] });
}
