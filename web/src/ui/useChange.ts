import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/client.ts';

type Change<Input, Output> = {
  act: (input: Input) => Promise<Output>;
  /** What to say when it is done. */
  done?: string | ((output: Output) => string);
  /** Beginnings of the keys of the queries that show something else afterwards. */
  refresh?: unknown[][];
  /** For forms, which show what is wrong beside their fields. */
  isFaultShown?: boolean;
};

const closeButtonProps = { 'aria-label': 'Close the message' };

/** Something that changes what the server has: says so when it is done or has failed, and loads again what it shows. */
export function useChange<Input, Output>({ act, done, refresh = [], isFaultShown }: Change<Input, Output>) {
  const queryClient = useQueryClient();
  return useMutation<Output, Error, Input>({
    mutationFn: act,
    onSuccess: (output) => {
      const message = typeof done === 'function' ? done(output) : done;
      if (message) notifications.show({ message, color: 'green', closeButtonProps });
    },
    onError: (error) => {
      if (isFaultShown) return;
      const request = error instanceof ApiError && error.requestId ? ` (request ${error.requestId})` : '';
      notifications.show({
        title: 'That did not work',
        message: error.message + request,
        color: 'red',
        closeButtonProps,
      });
    },
    onSettled: () => Promise.all(refresh.map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  });
}

/** What the server said of a field, also of something within it; null where it said nothing. */
export function faultOf(error: Error | null, field: string): string | null {
  if (!(error instanceof ApiError)) return null;
  const isOf = (path: string) =>
    path === field || ['.', '/', '['].some((mark) => path.startsWith(field + mark));
  return Object.entries(error.fields).find(([path]) => isOf(path))?.[1] ?? null;
}
