import { AllowedButton } from './rights.tsx';
import { useChange } from './useChange.ts';

type Props = {
  what: string;
  reason: string | null;
  act: () => Promise<unknown>;
  done: string;
  /** Key prefixes of the queries to reload afterwards. */
  refresh: unknown[][];
};

export function CancelButton({ what, reason, ...change }: Props) {
  const cancel = useChange(change);
  return (
    <AllowedButton
      size="compact-sm"
      variant="default"
      reason={reason}
      loading={cancel.isPending}
      aria-label={`Cancel ${what}`}
      onClick={() => cancel.mutate(undefined)}
    >
      Cancel
    </AllowedButton>
  );
}
