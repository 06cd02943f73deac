import { Stack, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { alertType } from '../../../parts/alerts/alertTypes.ts';
import { periodInWords, untilInWords } from '../../../parts/alerts/triggerWords.ts';
import type { Check, Kind, ListedAlert } from '../../../parts/alerts/types.ts';
import { DescriptionTable } from '../../../ui/DescriptionTable.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { AllowedButton, small } from '../../../ui/rights.tsx';
import { Money, StatusBadge } from '../../../ui/text.tsx';
import { AlertValue, Observed, Threshold, Warnings } from './AlertParts.tsx';
import { useCheckAlert, useWhyNoChange } from './alertQueries.ts';
import { recurrenceInWords, stateOf } from './words.ts';

type Alert = Kind & Pick<ListedAlert, 'id' | 'name' | 'check_frequency' | 'enabled' | 'notify_email'>;

export function CheckNow({ alert, isIcon = false }: { alert: Alert; isIcon?: boolean }) {
  const check = useCheckAlert(alert.id);
  const reason = useWhyNoChange();
  return (
    <>
      <AllowedButton
        {...small}
        {...(isIcon && { px: 5, variant: 'subtle', color: 'gray' })}
        {...(isIcon && reason === null && { 'data-hint': 'Check now' })}
        reason={reason}
        loading={check.isPending}
        onClick={() => check.mutate(undefined)}
        aria-label={`Check now: ${alert.name}`}
      >
        {isIcon ? <IconRefresh size={16} /> : 'Check now'}
      </AllowedButton>
      {check.data && (
        <Dialog title={`Checked: ${alert.name}`} onClose={check.reset} size="md">
          <CheckResult alert={alert} check={check.data} />
        </Dialog>
      )}
    </>
  );
}

function CheckResult({ alert, check }: { alert: Alert; check: Check }) {
  const { compared_with: comparedWith, value_title } = alertType(alert);
  return (
    <Stack>
      <Text size="sm">{verdictOn(alert, check)}</Text>
      <DescriptionTable
        items={[
          [
            'State',
            <StatusBadge key="state" status={stateOf({ enabled: alert.enabled, state: check.state })} />,
          ],
          ['Period', `${periodInWords(check.period)}, ${untilInWords(check.as_of)}`],
          [
            comparedWith ? 'Spent' : value_title,
            <Observed key="spent" kind={alert} value={check.observed} />,
          ],
          check.baseline !== null &&
            comparedWith && [
              'Compared with',
              <>
                <Money amount={check.baseline} />, the median of {comparedWith[alert.check_frequency].long}
                {recurrenceInWords(check)}, also {untilInWords(check.as_of)}
              </>,
            ],
          comparedWith &&
            check.state !== 'insufficient_data' && [
              value_title,
              <AlertValue key="value" kind={alert} value={check.current_value} />,
            ],
          ['Threshold', <Threshold key="threshold" kind={alert} amount={check.threshold_value} />],
          alert.enabled &&
            check.notification_sent !== undefined && [
              'Notification',
              check.notification_sent ? 'Delivered' : 'Not delivered yet',
            ],
        ]}
      />
      <Warnings warnings={check.warnings} />
    </Stack>
  );
}

function verdictOn(alert: Alert, { state, triggered }: Check): string {
  if (state === 'insufficient_data') {
    return 'Not enough history yet. The check needs three earlier periods with costs by this time of day.';
  }
  const { within, over, by_period } = alertType(alert);
  if (!triggered) return within;
  if (!alert.enabled) return `${over} The alert is off, so nothing was recorded or sent.`;
  return `${over} We notify ${by_period ? 'once per period' : 'once, until it resolves'}.`;
}
