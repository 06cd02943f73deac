import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { alertType } from '../../../parts/alerts/alertTypes.ts';
import type { Standing } from '../../../parts/alerts/budgets.ts';
import type { AlertType, ListedAlert } from '../../../parts/alerts/types.ts';
import { thresholdInWords } from '../../../parts/alerts/words.ts';
import { useNow } from '../../../ui/browserState.ts';
import { isOfMailServer, MailWarning, NoMailServer } from '../../../ui/NoMailServer.tsx';
import { OnSwitch } from '../../../ui/OnSwitch.tsx';
import { InText, Money, When } from '../../../ui/text.tsx';
import { nextCheck } from './alertFields.ts';
import { useWhyNoChange, switchOf } from './alertQueries.ts';
import { valueInWords } from './words.ts';

const tabular = { fontVariantNumeric: 'tabular-nums' } as const;

export function AlertValue({ type, value }: { type: AlertType; value: number }) {
  const { unit, compared_with } = alertType(type);
  if (unit === 'usd' && !compared_with) return <Money amount={value} />;
  return <span style={tabular}>{valueInWords(type, value)}</span>;
}

export function Threshold({ type, amount }: { type: AlertType; amount: number }) {
  return <span style={tabular}>{thresholdInWords(type, amount)}</span>;
}

export function EnabledSwitch({ alert }: { alert: Pick<ListedAlert, 'id' | 'name' | 'enabled'> }) {
  const isReadOnly = useWhyNoChange() !== null;
  return <OnSwitch name={alert.name} isOn={alert.enabled} isReadOnly={isReadOnly} {...switchOf(alert)} />;
}

/** An alert that went over its threshold since the last check has not triggered yet. */
export function LastTriggered({
  alert: { last_triggered_at: at },
  standing,
}: {
  alert: Pick<ListedAlert, 'last_triggered_at'>;
  standing: Standing;
}) {
  if (at !== null) return <When at={at} />;
  return standing === 'over' ? 'Not yet' : 'Never';
}

export function NextCheck({ alert }: { alert: Pick<ListedAlert, 'check_frequency'> }) {
  return <When at={nextCheck(alert.check_frequency, useNow()).toISOString()} isNext />;
}

/** One line, for whatever reason emails are not sent. */
export function Warnings({ warnings }: { warnings: string[] }) {
  if (warnings.length === 0) return null;
  return (
    <MailWarning>
      <Text size="sm">
        <b>Email is off.</b>{' '}
        {warnings.map((warning) => (
          <span key={warning}>{reasonOf(warning)} </span>
        ))}
      </Text>
    </MailWarning>
  );
}

function reasonOf(warning: string): ReactNode {
  if (isOfMailServer(warning)) return <NoMailServer />;
  if (warning.includes('no owner or admin'))
    return (
      <>
        No owner or admin gets alert emails: <InText href="/settings/members">choose who does</InText>.
      </>
    );
  return warning;
}
