import { Stack, Text } from '@mantine/core';
import { Figure, Figures } from '../../../ui/Figure.tsx';
import { countOf, longDay } from '../../../ui/figures.ts';
import { Money } from '../../../ui/Money.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { breaking, Columns, WideTable } from '../../../ui/WideTable.tsx';
import type { Reconciliation, Sums } from './queries.ts';
import { causesOf, causeWords } from './words.ts';

export function Totals({ found }: { found: Reconciliation }) {
  const { totals } = found;
  return (
    <Stack gap="md">
      <Figures>
        <Figure
          label="Runcost, at list prices"
          value={<Money amount={totals.our_cost} />}
          note={countOf(totals.our_minutes, 'minute')}
        />
        <Figure
          label="Bill"
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
          note="Counted by Runcost, not billed"
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
      {longDay(period.start)} to {longDay(period.end)} (UTC).
      {without > 0 &&
        ` No report covers ${countOf(without, 'day')}, so we do not compare ${without === 1 ? 'it' : 'them'}.`}
      {uncovered.minutes > 0 && (
        <>
          {' '}
          Left out: {countOf(uncovered.minutes, 'minute')} (<Money amount={uncovered.cost} />) on days, owners
          and providers that no report covers.
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
          <CauseRow label="Unexplained" about="We could not explain this part." amount={totals.unexplained} />
          <CauseRow label="Difference" about="The total." amount={totals.difference} isSum />
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
