import { Switch, type SwitchProps } from '@mantine/core';
import { useChange } from './useChange.ts';

type Props = Pick<SwitchProps, 'label' | 'description' | 'labelPosition' | 'styles'> & {
  name: string;
  isOn: boolean;
  act: (isOn: boolean) => Promise<unknown>;
  done: string | ((isOn: boolean) => string);
  /** Key prefixes of the queries to reload afterwards. */
  refresh: unknown[][];
  isReadOnly?: boolean;
};

/** Turns a row of a list on and off. */
export function OnSwitch({ name, isOn, act, done, refresh, isReadOnly = false, ...look }: Props) {
  const turn = useChange({
    act: async (next: boolean) => {
      await act(next);
      return typeof done === 'function' ? done(next) : done;
    },
    done: (words) => words,
    refresh,
  });
  if (isReadOnly) return isOn ? 'On' : 'Off';
  return (
    <Switch
      {...(look.label === undefined && { 'aria-label': `${name} is on` })}
      {...look}
      checked={turn.isPending ? turn.variables : isOn}
      disabled={turn.isPending}
      onChange={(event) => turn.mutate(event.currentTarget.checked)}
    />
  );
}
