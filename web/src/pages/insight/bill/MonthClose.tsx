import '../../../charts/charts.css';
import '../../../analysis/analysis.css';
import './bill.css';
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { datesTitle } from '../../../analysis/ranges.ts';
import { api } from '../../../api/client.ts';
import { useSession } from '../../../api/session.ts';
import { stepsInCents } from '../../../charts/waterfall.ts';
import { Waterfall } from '../../../charts/Waterfall.tsx';
import { moneyColumn, numberColumn, textColumn } from '../../../ui/cells.tsx';
import { DataTable } from '../../../ui/DataTable.tsx';
import { Figure, Figures } from '../../../ui/Figure.tsx';
import { monthName, sentence, share, signed } from '../../../ui/figures.ts';
import { Form } from '../../../ui/Form.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { PageTitle, Panel } from '../../../ui/Panel.tsx';
import { AllowedButton, useWhyNot } from '../../../ui/rights.tsx';
import { Money, Note } from '../../../ui/text.tsx';
import { wordsIn } from '../../../ui/typed.ts';
import { useAddress } from '../../../ui/useAddress.ts';
import { closedMonthIn, monthsOf } from './filter.ts';
import { MonthTabs } from './MonthTabs.tsx';
import { type BilledMonth, type MonthClosed, useBilledMonths, useMonthClose } from './queries.ts';

/** A month for finance, on one printed page. */
export function MonthClose() {
  const billed = useBilledMonths();
  const [params, change] = useAddress();
  const [isSending, setIsSending] = useState(false);
  const whyNot = useWhyNot()({ role: 'viewer', scope: 'alerts:write' });
  const today = new Date().toISOString().slice(0, 10);
  const known: readonly BilledMonth[] = billed.data ?? [];
  const months = monthsOf(known, today).filter((month) => month < today.slice(0, 7));
  const month = closedMonthIn(params, months, today);
  const close = useMonthClose(billed.isPending ? null : month);
  return (
    <>
      <PageTitle
        // Of the figures below, which stay while another month loads.
        title={`${monthName(close.data?.month ?? month)}, month close`}
        back={{ href: `/bill?month=${month}`, label: 'Bill' }}
      >
        <Group gap="xs" wrap="nowrap" className="not-printed compact-actions">
          <Button variant="default" size="xs" onClick={() => window.print()}>
            Print
          </Button>
          <AllowedButton size="xs" reason={whyNot} onClick={() => setIsSending(true)}>
            Send
          </AllowedButton>
        </Group>
      </PageTitle>
      {isSending && <Send month={month} onClose={() => setIsSending(false)} />}
      {billed.isPending && <Skeleton height={41} className="not-printed" />}
      {months.length > 0 && (
        <MonthTabs
          months={months}
          rows={[]}
          billed={known}
          isLoading={billed.isPending}
          chosen={month}
          onMonth={(value) => change({ month: value })}
        />
      )}
      <div id="bill-month" role={months.length > 0 ? 'tabpanel' : undefined} aria-label="Month close">
        <Loaded query={close} height={760}>
          {(data) => <Closed data={data} isStale={close.isPlaceholderData} />}
        </Loaded>
      </div>
    </>
  );
}

function Send({ month, onClose }: { month: string; onClose: () => void }) {
  const { data: session } = useSession();
  return (
    <Form
      title={`Send the close of ${monthName(month)}`}
      size="md"
      label="Send"
      initial={{ to: session?.member?.email ?? '' }}
      fields={[{ name: 'to', label: 'Recipients', description: 'Email addresses, separated by commas.' }]}
      act={async ({ to }) => {
        const { data } = await api.POST('/api/v1/bills/months/{id}/send', {
          params: { path: { id: month } },
          body: { to: wordsIn(to) },
        });
        const outcomes = data!.data;
        if (outcomes.every(({ delivered }) => delivered)) return;
        // Says also who got it, because trying again would send it twice.
        const said = outcomes.map(({ email, delivered, error }) =>
          delivered ? `Sent to ${email}.` : `Not to ${email}: ${error}`,
        );
        throw new Error(said.join(' '));
      }}
      done="Sent."
      onClose={onClose}
    />
  );
}

function Closed({ data, isStale }: { data: MonthClosed; isStale: boolean }) {
  const { sentence: inShort, period, billed, listed, net, steps } = data;
  // As the sentence and the steps say it: the exact difference can round to another cent.
  const difference = stepsInCents(listed, steps, billed).reduce((sum, { amount }) => sum + amount, 0);
  return (
    <Stack gap="md" aria-busy={isStale} className={isStale ? 'month-close is-stale' : 'month-close'}>
      <Text>{inShort}</Text>
      <Figures>
        <Figure label="Billed" value={<Money amount={billed} />} note="everything on the bill" />
        <Figure label="List cost" value={<Money amount={listed} />} note="counted by Runcost" />
        <Figure label="Difference" value={signed(difference)} note="billed minus list cost" />
        <Figure
          label="Net cost"
          value={<Money amount={net} />}
          note="after free runners, included minutes and discounts"
        />
      </Figures>
      <Panel title="From list cost to the bill">
        <Waterfall
          label="From list cost to the bill"
          before={{ label: 'List cost', amount: listed }}
          steps={steps.map(({ key, title, about, amount }) => ({ key, label: title, about, amount }))}
          now={{ label: 'Billed', amount: billed }}
        />
      </Panel>
      <Panel title="Teams">
        <Teams data={data} />
        <Note>{datesTitle({ from: period.start, to: period.end })}, UTC.</Note>
      </Panel>
    </Stack>
  );
}

type Team = MonthClosed['teams'][number];

/** Rounded so that the rows add up to the total. */
function Teams({ data: { teams, listed, net } }: { data: MonthClosed }) {
  const centsOf = (field: 'cost' | 'net_cost', total: number) => {
    const rows = teams.map(({ name, [field]: amount }) => ({ name, amount }));
    return new Map(stepsInCents(0, rows, total).map(({ name, amount }) => [name, amount]));
  };
  const [costs, nets] = [centsOf('cost', listed), centsOf('net_cost', net)];
  const shareOf = ({ cost }: Team) => (listed === 0 ? 0 : cost / listed);
  return (
    <DataTable<Team>
      label="Teams"
      minWidth={0}
      rows={teams}
      keyOf={({ name }) => name}
      isStacked
      columns={[
        textColumn('Team', ({ name, is_team: isTeam }) => (isTeam ? name : sentence(name)), {
          total: 'Total',
        }),
        moneyColumn('List cost', ({ name }) => costs.get(name) ?? 0, {
          isMain: true,
          total: <Money amount={listed} />,
        }),
        numberColumn('Share', shareOf, share, { total: share(1) }),
        moneyColumn('Net cost', ({ name }) => nets.get(name) ?? 0, { total: <Money amount={net} /> }),
      ]}
    />
  );
}
