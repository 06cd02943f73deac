import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { alertType, observedUnitOf } from '../../../parts/alerts/alertTypes.ts';
import type { Standing } from '../../../parts/alerts/budgets.ts';
import type { Kind, ListedAlert } from '../../../parts/alerts/types.ts';
import { thresholdInWords } from '../../../parts/alerts/words.ts';
import { isOfMailServer, MailWarning, NoMailServer } from '../../../ui/NoMailServer.tsx';
import { OnSwitch } from '../../../ui/OnSwitch.tsx';
import { InText, Money, When } from '../../../ui/text.tsx';
import { nextCheck } from './alertFields.ts';
import { useWhyNoChange, switchOf } from './alertQueries.ts';
import { valueInWords } from './words.ts';

const tabular = { fontVariantNumeric: 'tabular-nums' } as const;

export function AlertValue({ kind, value }: { kind: Kind; value: number }) {
  const { unit, compared_with } = alertType(kind);
  if (unit === 'usd' && !compared_with) return <Money amount={value} />;
  return <span style={tabular}>{valueInWords(kind, value)}</span>;
}

/** What an alert has counted, in dollars or in percent. */
export function Observed({ kind, value }: { kind: Kind; value: number }) {
  const described = alertType(kind);
  if (described.observed_unit === 'usd') return <Money amount={value} />;
  return <span style={tabular}>{observedUnitOf(described).value(value)}</span>;
}

export function Threshold({ kind, amount }: { kind: Kind; amount: number }) {
  return <span style={tabular}>{thresholdInWords(kind, amount)}</span>;
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
  return <When at={nextCheck(alert.check_frequency, new Date()).toISOString()} isNext />;
}

/** One line, for whatever reason emails are not sent. */
export function Warnings({ warnings }: { warnings: string[] }) {
  if (warnings.length === 0) return null;
  return (
    <MailWarning>
      <Text size="sm">
        {warnings.some((warning) => warning.startsWith('No email')) && <b>Email is off. </b>}
        {warnings.map((warning) => (
          <span key={warning}>{reasonOf(warning)} </span>
        ))}
      </Text>
    </MailWarning>
  );
}

function reasonOf(warning: string): ReactNode {
  if (isOfMailServer(warning))
    return (
      <>
        <NoMailServer />.
      </>
    );
  if (warning.includes('no owner or admin'))
    return (
      <>
        No owner or admin gets alert emails: <InText href="/settings/members">choose who does</InText>.
      </>
    );
  return warning;
}
