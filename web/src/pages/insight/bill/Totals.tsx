import { Stack, Text } from '@mantine/core';
import { Figure, Figures } from '../../../ui/Figure.tsx';
import { count, countOf, longDay } from '../../../ui/figures.ts';
import { Money } from '../../../ui/Money.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { breaking, Columns, WideTable } from '../../../ui/WideTable.tsx';
import type { Reconciliation, Sums } from './queries.ts';
import { causesOf, causeWords } from './words.ts';

/** Ours and the bill in four figures, and why they differ. */
export function Totals({ found }: { found: Reconciliation }) {
  const { totals } = found;
  return (
    <Stack gap="md">
      <Figures>
        <Figure
          label="Ours, at list prices"
          value={<Money amount={totals.our_cost} />}
          note={`${count(totals.our_minutes)} minutes`}
        />
        <Figure
          label="The bill"
          value={<Money amount={totals.bill_net} />}
          note={
            <>
              <Money amount={totals.bill_gross} /> gross, <Money amount={totals.bill_discount} /> discounts
            </>
          }
        />
        <Figure
          label="Difference"
          value={<Money amount={totals.difference} />}
          note="what we count and the bill does not"
        />
        <Figure label="Unexplained" value={<Money amount={totals.unexplained} />} note="of the difference" />
      </Figures>
      <Notes found={found} />
      <Causes totals={totals} />
    </Stack>
  );
}

function Notes({ found }: { found: Reconciliation }) {
  const { period, days_without_report: without, not_billed: uncovered } = found;
  if (!period) return null;
  return (
    <Text size="sm" c="dimmed">
      {longDay(period.start)} to {longDay(period.end)}, in UTC.
      {without > 0 && ` ${countOf(without, 'day')} of them in no report, and not compared.`}
      {uncovered.minutes > 0 && (
        <>
          {' '}
          Left out: {countOf(uncovered.minutes, 'minute')} for <Money amount={uncovered.cost} /> of days,
          owners and CI systems that no report covers.
        </>
      )}
    </Text>
  );
}

function Causes({ totals }: { totals: Sums }) {
  const causes = causesOf(totals);
  if (causes.length === 0 && totals.unexplained === 0) return null;
  return (
    <Panel title="Why they differ">
      <WideTable label="Causes" minWidth={260}>
        <Columns texts={['Cause']} numbers={['Amount']} />
        <tbody>
          {causes.map(([cause, amount]) => (
            <CauseRow key={cause} {...causeWords[cause]} amount={amount} />
          ))}
          <CauseRow label="Unexplained" about="Neither side tells why." amount={totals.unexplained} />
          <CauseRow label="Difference" about="All of it together." amount={totals.difference} isSum />
        </tbody>
      </WideTable>
    </Panel>
  );
}

type RowProps = { label: string; about: string; amount: number; isSum?: boolean };

function CauseRow({ label, about, amount, isSum = false }: RowProps) {
  return (
    <tr>
      <th scope="row" style={{ ...breaking, fontWeight: isSum ? 700 : 500 }}>
        {label}
        <Text size="sm" c="dimmed" fw={400}>
          {about}
        </Text>
      </th>
      <td className="number" style={{ fontWeight: isSum ? 700 : 400 }}>
        <Money amount={amount} />
      </td>
    </tr>
  );
}
