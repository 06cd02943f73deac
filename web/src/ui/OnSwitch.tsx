import { Switch } from '@mantine/core';
import { useChange } from './useChange.ts';

type Props = {
  name: string;
  isOn: boolean;
  act: (isOn: boolean) => Promise<unknown>;
  done: string;
  /** Key prefixes of the queries to reload afterwards. */
  refresh: unknown[][];
};

/** Turns a row of a list on and off. */
export function OnSwitch({ name, isOn, ...change }: Props) {
  const turn = useChange(change);
  return (
    <Switch
      checked={turn.isPending ? turn.variables : isOn}
      disabled={turn.isPending}
      onChange={(event) => turn.mutate(event.currentTarget.checked)}
      aria-label={`${name} is on`}
    />
  );
}
