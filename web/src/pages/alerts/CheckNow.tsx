import { Stack, Text } from '@mantine/core';
import { Dialog } from '../../shown/Dialog.tsx';
import { Money } from '../../shown/Money.tsx';
import { AllowedButton } from '../../shown/rights.tsx';
import { StatusBadge } from '../../shown/StatusBadge.tsx';
import { useCheckAlert, useWhyNoChange } from './alertQueries.ts';
import { AlertValue, Threshold } from './AlertValue.tsx';
import type { Check, ListedAlert } from './types.ts';
import { Warnings } from './Warnings.tsx';
import { baselineInWords, periodInWords, stateOf } from './words.ts';

type Alert = Pick<ListedAlert, 'id' | 'name' | 'alert_type' | 'check_frequency' | 'enabled' | 'notify_email'>;

/** Looks at once, and shows what has been seen. */
export function CheckNow({ alert }: { alert: Alert }) {
  const check = useCheckAlert(alert.id);
  const reason = useWhyNoChange();
  return (
    <>
      <AllowedButton
        variant="default"
        size="compact-sm"
        reason={reason}
        loading={check.isPending}
        onClick={() => check.mutate(undefined)}
        aria-label={`Check now: ${alert.name}`}
      >
        Check now
      </AllowedButton>
      {check.data && (
        <Dialog title={`Checked: ${alert.name}`} onClose={() => check.reset()} size="md">
          <CheckResult alert={alert} check={check.data} />
        </Dialog>
      )}
    </>
  );
}

function CheckResult({ alert, check }: { alert: Alert; check: Check }) {
  const type = alert.alert_type;
  return (
    <Stack>
      <Text size="sm">{verdictOn(alert, check)}</Text>
      <table className="facts" style={{ tableLayout: 'fixed' }}>
        <tbody>
          <Fact label="State">
            <StatusBadge status={stateOf({ enabled: true, state: check.state })} />
          </Fact>
          <Fact label="Days looked at">{periodInWords(check.period)}, with today so far</Fact>
          <Fact label="Spent">
            <Money amount={check.observed} />
          </Fact>
          {check.baseline !== null && (
            <Fact label="Compared with">
              <Money amount={check.baseline} />, {baselineInWords(alert.check_frequency)}
            </Fact>
          )}
          {type === 'anomaly' && check.state !== 'insufficient_data' && (
            <Fact label="Rise">
              <AlertValue type={type} value={check.current_value} />
            </Fact>
          )}
          <Fact label="Threshold">
            <Threshold type={type} amount={check.threshold_value} />
          </Fact>
          {check.notification_sent !== undefined && (
            <Fact label="Message">
              {check.notification_sent ? 'reached somebody' : 'has reached nobody yet'}
            </Fact>
          )}
        </tbody>
      </table>
      <Warnings warnings={check.warnings} />
    </Stack>
  );
}

function Fact({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <tr>
      <th scope="row" style={{ width: 130 }}>
        {label}
      </th>
      <td>{children}</td>
    </tr>
  );
}

function verdictOn({ alert_type, enabled }: Alert, { state }: Check): string {
  if (state === 'insufficient_data') {
    return 'There is not enough history to compare with yet: it takes three earlier windows that cost anything.';
  }
  if (state === 'ok') {
    return alert_type === 'budget'
      ? 'Spending is within the budget.'
      : 'Spending has not risen by more than the threshold.';
  }
  const told = enabled
    ? 'It is told once, not at every check.'
    : 'The alert is off, so nothing was recorded or told.';
  return alert_type === 'budget'
    ? `Spending is over the budget. ${told}`
    : `Spending has risen by more than the threshold. ${told}`;
}
