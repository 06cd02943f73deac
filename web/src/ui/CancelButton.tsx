import { SmallButton } from './rights.tsx';
import { useChange } from './useChange.ts';

type Props = {
  what: string;
  reason: string | null;
  act: () => Promise<unknown>;
  done?: string;
  /** Key prefixes of the queries to reload afterwards. */
  refresh: unknown[][];
};

export function CancelButton({ what, reason, ...change }: Props) {
  const cancel = useChange(change);
  return (
    <SmallButton
      reason={reason}
      loading={cancel.isPending}
      aria-label={`Cancel ${what}`}
      onClick={() => cancel.mutate(undefined)}
    >
      Cancel
    </SmallButton>
  );
}
