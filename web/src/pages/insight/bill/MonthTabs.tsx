import { Skeleton, Tabs } from '@mantine/core';
import { dollars, monthName } from '../../../ui/figures.ts';
import { TabsList } from '../../../ui/TabsList.tsx';
import { Note } from '../../../ui/text.tsx';
import type { Row } from './queries.ts';
import { isLarge } from './steps.ts';

type Props = {
  months: readonly string[];
  billed: readonly { month: string; bill_net: number }[];
  rows: readonly Pick<Row, 'month' | 'bill_net' | 'net_difference'>[];
  isLoading: boolean;
  chosen: string | null;
  onMonth: (month: string) => void;
};

/** Newest first. A mark shows where our net cost and the bill differ by more than 5%. */
export function MonthTabs({ months, billed, rows, isLoading, chosen, onMonth }: Props) {
  const rowOf = new Map(rows.map((row) => [row.month, row]));
  const amountOf = new Map(billed.map((row) => [row.month, row.bill_net]));
  return (
    <Tabs value={chosen} onChange={(month) => month && onMonth(month)} className="months not-printed">
      <TabsList open={chosen} aria-label="Month">
        {months.map((month) => {
          const row = rowOf.get(month);
          const amount = amountOf.get(month);
          return (
            <Tabs.Tab key={month} value={month} aria-controls="bill-month">
              <span className="month-name">
                {monthName(month).replace(/^(\w{3})\w*/, '$1')}
                <span className="month-mark">
                  {row && isLarge(row) && (
                    <svg
                      viewBox="-5 -5 10 10"
                      width={10}
                      height={10}
                      role="img"
                      aria-label="Large difference"
                    >
                      <path d="M0 -4.5L4.5 0L0 4.5L-4.5 0Z" className="warning-mark" />
                    </svg>
                  )}
                </span>
              </span>
              <Note span size="xs" className="month-amount">
                {amount === undefined ? isLoading && <LoadingAmount /> : dollars(amount)}
              </Note>
            </Tabs.Tab>
          );
        })}
      </TabsList>
    </Tabs>
  );
}

/** As tall as the amount. */
function LoadingAmount() {
  return (
    <>
      <Skeleton component="span" display="inline-block" height={6} width={44} />
      &nbsp;
    </>
  );
}
