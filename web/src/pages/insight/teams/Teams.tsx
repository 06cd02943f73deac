import { Box, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Compared } from '../../../analysis/Change.tsx';
import { Pick } from '../../../analysis/Pick.tsx';
import { Step } from '../../../analysis/RangePicker.tsx';
import '../../../analysis/analysis.css';
import { datesTitle } from '../../../analysis/ranges.ts';
import { readCsv } from '../../../api/query.ts';
import { useCommandLine } from '../../../api/session.ts';
import { CommandFold } from '../../../ui/Command.tsx';
import { CsvDownload } from '../../../ui/CsvButton.tsx';
import { Figure, Figures } from '../../../ui/Figure.tsx';
import { count, countOf, monthName, share } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Empty, PageTitle } from '../../../ui/Panel.tsx';
import { Money, TextButton, TextLink } from '../../../ui/text.tsx';
import { oneOf, useAddress } from '../../../ui/useAddress.ts';
import { lastMonths } from './months.ts';
import { MonthsPanel } from './MonthsPanel.tsx';
import { keyOf, OwnersPanel } from './OwnersPanel.tsx';
import { useShowback, type Asked, type Showback } from './queries.ts';

const kinds = { team: 'Team', cost_center: 'Cost center' } as const;
type Kind = Asked['by'];
const metrics = { cost: 'Cost', net_cost: 'Net cost', full_cost: 'Full cost' } as const;
const metricNames = Object.keys(metrics) as (keyof typeof metrics)[];
const abouts = {
  cost: 'at list prices',
  net_cost: 'after free runners, included minutes and discounts',
  full_cost: 'at list prices, with pools of own runners',
} as const;
const kindNames = Object.keys(kinds) as Kind[];

export function Page() {
  const [params, change] = useAddress();
  const months = lastMonths(new Date());
  const asked = params.get('month') ?? '';
  const month = /^\d{4}-(0[1-9]|1[0-2])$/.test(asked) ? asked : months[0]!;
  const by = oneOf(kindNames, params.get('by'), 'team');
  const metric = oneOf(metricNames, params.get('metric'), 'cost');
  const question = { month, by, metric };
  const before = months[months.indexOf(month) + 1];
  const onMonth = (value: string) => change({ month: value === months[0] ? null : value });
  const showback = useShowback(question);
  return (
    <>
      <PageTitle
        title="Teams"
        about={
          showback.data
            ? `${periodsOf(showback.data)}, UTC, ${abouts[metric]}`
            : `${metrics[metric]} by ${kinds[by].toLowerCase()}, ${abouts[metric]}`
        }
      >
        <Group gap="xs" wrap="nowrap" className="not-printed compact-actions">
          <CsvDownload
            size="xs"
            read={() => readCsv('/api/v1/showback', question)}
            name={`runcost-showback-${month}-by-${by}${metric === 'cost' ? '' : `-${metric.split('_')[0]}`}.csv`}
          />
          <Button variant="default" size="xs" onClick={() => window.print()}>
            Print
          </Button>
        </Group>
      </PageTitle>
      <Group component="section" aria-label="Question" gap="xs" className="analysis-bar bar-row not-printed">
        <MonthPicker month={month} onChange={onMonth} />
        <Pick label="By" value={by} options={kinds} onChange={(value) => change({ by: value })} />
        <Pick
          label="Measure"
          value={metric}
          options={metrics}
          onChange={(value) => change({ metric: value })}
        />
      </Group>
      <Loaded query={showback} height={560}>
        {(data) => (
          <Stack gap="md" aria-busy={showback.isPlaceholderData}>
            {data.owners.length > 0 && <Totals data={data} />}
            {data.owners.length > 0 &&
              data.owners.every(({ owner, is_idle: isIdle }) => owner === null || isIdle) && (
                <HowToOwn by={data.by} />
              )}
            {data.owners.length === 0 ? (
              <Empty title={`No costs in ${monthName(month)}`}>
                {before && (
                  <>
                    <TextButton onClick={() => onMonth(before)}>Show {monthName(before)}</TextButton>, or{' '}
                  </>
                )}
                <TextLink href="/sources" underline="always">
                  connect your CI
                </TextLink>
                .
              </Empty>
            ) : (
              <>
                {data.owners.some(({ owner }) => owner !== null) && (
                  <MonthsPanel
                    by={by}
                    metric={metric}
                    month={month}
                    onMonth={onMonth}
                    order={data.owners.map(({ owner }) => keyOf({ by: data.by, owner }))}
                  />
                )}
                <OwnersPanel data={data} kind={kinds[data.by]} />
              </>
            )}
          </Stack>
        )}
      </Loaded>
    </>
  );
}

function periodsOf({ period, previous_period: before }: Showback): string {
  const [now, then] = [period, before].map(({ start, end }) => datesTitle({ from: start, to: end }));
  return `${now} vs ${then}`;
}

type MonthProps = { month: string; onChange: (month: string) => void };

/** Steps between months, or lists all months that a plan can have. */
function MonthPicker({ month, onChange }: MonthProps) {
  const months = lastMonths(new Date());
  const listed = months.includes(month) ? months : [...months, month];
  const at = listed.indexOf(month);
  return (
    <Group gap={0} wrap="nowrap" className="range">
      <Step label="Go to the previous month" to={listed[at + 1] ?? null} onStep={onChange} isBack />
      <Pick
        label="Month"
        value={month}
        options={listed.map((value) => ({ value, title: monthName(value) }))}
        onChange={onChange}
      />
      <Step label="Go to the next month" to={listed[at - 1] ?? null} onStep={onChange} />
    </Group>
  );
}

function Totals({ data: { by, metric, total, owners } }: { data: Showback }) {
  const unowned = owners.find(({ owner }) => owner === null);
  const owned = owners.filter(({ owner, is_idle: isIdle }) => owner !== null && !isIdle).length;
  return (
    <Box>
      <Figures>
        <Figure
          label={metrics[metric]}
          value={<Money amount={total.cost} />}
          note={<Compared value={total.cost} previous={total.previous_cost} metric={metric} />}
        />
        <Figure label={`${kinds[by]}s`} value={owned} note="with costs" />
        <Figure label="Billed minutes" value={count(total.minutes)} note={countOf(total.jobs, 'job')} />
        <Figure
          label="Unowned"
          value={<Money amount={unowned?.cost ?? 0} />}
          note={`${share((unowned?.share_percent ?? 0) / 100)} of the ${metrics[metric].toLowerCase()}`}
        />
      </Figures>
    </Box>
  );
}

function HowToOwn({ by }: { by: Kind }) {
  const command = useCommandLine();
  const [option, name] = by === 'team' ? ['--team', 'Platform'] : ['--cost-center', 'CC-1042'];
  return (
    <Box className="not-printed">
      <Empty title={by === 'team' ? 'No teams yet' : 'No cost centers yet'}>
        <Stack gap="xs" align="center">
          <Text inherit>
            Rules map repositories, workflows and labels to owners. They take effect at once, for past days
            too.
          </Text>
          <Button component={Link} href="/settings/owners" size="xs">
            Add a rule
          </Button>
          <CommandFold
            title="From the command line"
            label="Commands that add rules"
            command={`${command} ownership add ${option} ${name} --repository 'acme/api-*'\n${command} ownership import owners.csv`}
          />
        </Stack>
      </Empty>
    </Box>
  );
}
