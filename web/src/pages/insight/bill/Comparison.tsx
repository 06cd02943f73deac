import { Stack, Text } from '@mantine/core';
import { datesTitle } from '../../../analysis/ranges.ts';
import { Waterfall } from '../../../charts/Waterfall.tsx';
import { Figure, Figures } from '../../../ui/Figure.tsx';
import { countOf, dollars, share, signed } from '../../../ui/figures.ts';
import { Panel } from '../../../ui/Panel.tsx';
import { Segments } from '../../../ui/Segments.tsx';
import { InText, Money, Note } from '../../../ui/text.tsx';
import { type Measure } from './filter.ts';
import type { Reconciliation, Sums } from './queries.ts';
import { agreedOf, comparisonOf, isLarge, towardBill, wordsIn } from './steps.ts';

const measureTitles: Record<Measure, string> = { cost: 'List', net_cost: 'Net' };

type Props = { found: Reconciliation; measure: Measure; onMeasure: (measure: Measure) => void };

export function Comparison({ found, measure, onMeasure }: Props) {
  const { totals, period, days_without_report: without } = found;
  const { ours, billed, steps, unmatched } = comparisonOf(totals, measure, wordsIn(found));
  const isNet = measure === 'net_cost';
  const isLeft = !isNet && totals.net_unexplained !== totals.unexplained && totals.net_unexplained !== 0;
  return (
    <Stack gap="md">
      <Totals found={found} />
      <div className="bill-columns">
        <Panel
          title="From our total to the bill"
          aside={<Segments label="Measure" options={measureTitles} value={measure} onChange={onMeasure} />}
        >
          <Waterfall
            label="From our total to the bill"
            before={{ label: isNet ? 'Net cost' : 'List cost', amount: ours }}
            cutsBelow={0.1}
            steps={steps}
            now={{ label: 'Billed', amount: billed }}
          />
          <Text size="sm" className={totals.net_difference === 0 ? 'is-down' : undefined}>
            {verdictOf(totals)}
          </Text>
          {period && (
            <Note>
              {datesTitle({ from: period.start, to: period.end })}, UTC.
              {without > 0 && ` ${countOf(without, 'day')} without a report.`}
            </Note>
          )}
        </Panel>
        {(unmatched.length > 0 || isLeft) && (
          <Panel title="What did not match">
            {unmatched.length === 0 ? (
              <Note>Nothing at list prices: Runcost counted every billed minute at its rate.</Note>
            ) : (
              <table aria-label="What did not match">
                <tbody>
                  {unmatched.map(({ key, label, about, amount }) => (
                    <tr key={key}>
                      <th scope="row" className="cause">
                        {label}
                        <Note fw={400}>{about}</Note>
                      </th>
                      <td className={`number ${amount > 0 ? 'is-up' : 'is-down'}`}>{signed(amount)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
            {isLeft && (
              <Note>
                At net prices, {signed(towardBill(totals.net_unexplained))} is unexplained. Check your{' '}
                <InText href="/settings/discounts">included minutes and discount</InText>.
              </Note>
            )}
          </Panel>
        )}
      </div>
    </Stack>
  );
}

/** Compares the bill with our net cost, which leaves out agreed discounts. */
function verdictOf({ net_difference: difference }: Sums): string {
  const after = 'After free runners, included minutes and discounts,';
  if (difference === 0) return `${after} the amounts match exactly.`;
  const amount = dollars(Math.abs(difference));
  return `${after} the bill is ${amount} ${difference < 0 ? 'higher' : 'lower'} than what Runcost counted.`;
}

/** The difference as a share of our net cost, and what is unexplained. */
function differenceInWords({
  net_difference: difference,
  net_unexplained: rest,
  our_net: counted,
}: Sums): string {
  const part = `${share(counted === 0 ? 0 : Math.abs(difference / counted))} ${difference > 0 ? 'not billed' : 'more billed'}`;
  return rest === 0 ? part : `${part}, ${signed(towardBill(rest))} unexplained`;
}

function Totals({ found }: { found: Reconciliation }) {
  const { totals, not_billed: uncovered } = found;
  const { net_difference: difference, bill_net: billed } = totals;
  const apart = found.not_compared.reduce((sum, { net }) => sum + net, 0);
  const { amount: agreed, name: agreedName } = agreedOf(totals, wordsIn(found));
  return (
    <Figures>
      <Figure
        label="Billed for minutes"
        value={<Money amount={billed} />}
        note={
          <>
            <Money amount={totals.bill_gross} /> less <Money amount={totals.bill_discount} /> discounts
            {apart !== 0 && (
              <>
                ; beside it, <Money amount={apart} /> for storage and other products
              </>
            )}
          </>
        }
      />
      <Figure
        label="Difference"
        value={
          <span className={isLarge(totals) ? 'is-up' : undefined}>{signed(towardBill(difference))}</span>
        }
        note={
          <>
            Runcost counted <Money amount={totals.our_net} /> net
            {difference !== 0 && `, ${differenceInWords(totals)}`}
          </>
        }
      />
      <Figure
        label={agreedName}
        value={<Money amount={agreed} />}
        note={
          <>
            {totals.our_cost > 0 && `${share(agreed / totals.our_cost)} off `}
            <Money amount={totals.our_cost} /> list cost
          </>
        }
      />
      <Figure
        label="Without a report"
        value={<Money amount={uncovered.cost} />}
        note={
          uncovered.minutes > 0
            ? `${countOf(uncovered.minutes, 'minute')} on no report`
            : 'reports cover all minutes'
        }
      />
    </Figures>
  );
}
