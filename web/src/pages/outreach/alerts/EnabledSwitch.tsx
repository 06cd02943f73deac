import { Switch } from '@mantine/core';
import type { ListedAlert } from '../../../alerts/types.ts';
import { useSwitchAlert, useWhyNoChange } from './alertQueries.ts';

export function EnabledSwitch({ alert }: { alert: Pick<ListedAlert, 'id' | 'name' | 'enabled'> }) {
  const change = useSwitchAlert(alert);
  if (useWhyNoChange() !== null) return alert.enabled ? 'On' : 'Off';
  return (
    <Switch
      checked={change.isPending ? change.variables : alert.enabled}
      disabled={change.isPending}
      onChange={(event) => change.mutate(event.currentTarget.checked)}
      aria-label={`${alert.name} is on`}
    />
  );
}
