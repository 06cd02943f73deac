import { Card, Center, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ChangeSentence } from '../../../analysis/ChangeSentence.tsx';
import type { Costs } from '../../../analysis/queries.ts';
import { questionIn, type Question } from '../../../analysis/question.ts';
import { datesTitle } from '../../../analysis/ranges.ts';
import { filterTitles, titleOfQuestion } from '../../../analysis/sharing.ts';
import { comparisons, metrics } from '../../../analysis/words.ts';
import { clockIn, setCalendar, calendar } from '../../../api/calendar.ts';
import { ApiError, publicApi } from '../../../api/client.ts';
import { ChartFrame } from '../../../charts/ChartFrame.tsx';
import { Legend, type Entry } from '../../../charts/Legend.tsx';
import { legendOf, needsLog, shortened, tilesOf, topSeries } from '../../../charts/series.ts';
import { SeriesChart } from '../../../charts/SeriesChart.tsx';
import { comparedSeries, partialTitle, showsPrevious, spansOf } from '../../../charts/spans.ts';
import { TreemapChart } from '../../../charts/TreemapChart.tsx';
import { Mark } from '../../../layout/Logo.tsx';
import { ChangeParts } from '../../../parts/costs/ChangePanel.tsx';
import { CostTotal } from '../../../parts/costs/CostTotal.tsx';
import { headingOf, rowsOf, sortedRows } from '../../../parts/costs/groupRows.ts';
import { GroupTable } from '../../../parts/costs/GroupTable.tsx';
import { longDay, timeText } from '../../../ui/figures.ts';
import '../../../parts/costs/groups.css';
import { Failed } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import './shared.css';
import { Note } from '../../../ui/text.tsx';

/** An embed has its secret in the path, because the server must know which sites may show it. */
const embedded = /^\/embed\/([\w-]+)$/.exec(location.pathname)?.[1] ?? null;

/** Other links have their secret after the #, which browsers do not send to the server. */
function linkInAddress(): string {
  if (embedded !== null) return embedded;
  return new URLSearchParams(location.hash.slice(1)).get('link') ?? '';
}

function useShared() {
  const link = linkInAddress();
  return useQuery({
    queryKey: ['/api/v1/shared', link],
    queryFn: async () => {
      const headers = { authorization: `Bearer ${link}` };
      const { data } = (await publicApi.GET('/api/v1/shared', { headers })).data!;
      const isFromSunday = new URLSearchParams(data.query).get('week_start') === 'sunday';
      setCalendar({
        ...calendar(),
        time_zone: data.time_zone,
        week_start: isFromSunday ? 'sunday' : 'monday',
      });
      return data;
    },
    refetchInterval: 5 * 60_000,
  });
}

type Shared = NonNullable<ReturnType<typeof useShared>['data']>;

/** One view of costs for people without an account, without links to other pages. */
export function Page() {
  const { data, error, refetch } = useShared();
  useEffect(() => {
    document.title = 'Shared view · Runcost';
  }, []);
  if (error instanceof ApiError && error.status === 401) return <Ended />;
  return (
    <main className={embedded === null ? 'shared-page' : 'shared-page shared-embed'}>
      {data ? (
        <View shared={data} />
      ) : error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : (
        <Waiting />
      )}
    </main>
  );
}

function View({ shared }: { shared: Shared }) {
  const question = questionIn(new URLSearchParams(shared.query));
  const { ranked } = shared;
  const names = new Map(shared.workflow_names.map(({ id, name }) => [id, name]));
  const filters = filterTitles(question, names);
  return (
    <Stack gap="md">
      <Group component="header" justify="space-between" gap="sm">
        <Group gap="sm" wrap="nowrap">
          <Mark size={28} />
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {shared.organization_name}
          </Text>
        </Group>
        <Note>
          {shared.shared_by !== null && `Shared by ${shared.shared_by} · `}Link expires{' '}
          <time dateTime={shared.expires_at} title={timeText(new Date(shared.expires_at))}>
            {longDay(clockIn(new Date(shared.expires_at)).day)}
          </time>
        </Note>
      </Group>
      <div>
        <Title order={1} size="h2">
          {shared.page === 'overview' ? 'CI costs' : titleOfQuestion(question)}
        </Title>
        <Note>{datesTitle({ from: ranked.period.start, to: ranked.period.end })}, UTC</Note>
      </div>
      {filters.length > 0 && (
        <Group gap={6} component="ul" aria-label="Filters" className="shared-filters">
          {filters.map((filter) => (
            <li key={filter}>{filter}</li>
          ))}
        </Group>
      )}
      <Figures shared={shared} question={question} />
      <Note size="xs" className="shared-more">
        A read-only view from Runcost, which shows what CI/CD costs.
      </Note>
    </Stack>
  );
}

function Figures({ shared, question }: { shared: Shared; question: Question }) {
  const [marked, setMarked] = useState<string | null>(null);
  const [sort, setSort] = useState(question.sort);
  const { ranked, listed, change, chart } = shared;
  const detail = shared.detail && chart === 'treemap' ? ofListed(shared.detail, listed) : shared.detail;
  const parts = chart === 'treemap' && detail ? tilesOf(detail) : topSeries(ranked);
  const today = new Date().toISOString().slice(0, 10);
  const context = { costs: listed, parts, isByFirst: chart === 'treemap', today };
  const rows = rowsOf(question, context).map((row) => ({ ...row, next: null }));
  if (ranked.total.value === 0 && !ranked.total.previous_value)
    return (
      <Card withBorder p="xl">
        <Text ta="center">Nothing was recorded on these days.</Text>
      </Card>
    );
  return (
    <>
      <Card
        withBorder
        component="section"
        aria-label="Chart"
        p="md"
        {...(!detail && ranked.granularity === 'total' && { className: 'shared-figure' })}
      >
        <CostTotal costs={ranked} heading="Total" mb="sm" />
        <Drawn marked={marked} today={today} shared={{ ...shared, detail }} onMark={setMarked} />
      </Card>
      <Stack gap="md" className="shared-more">
        {change && (
          <Panel title="What changed">
            <Text>
              <ChangeSentence change={change} />
            </Text>
            <ChangeParts change={change} />
          </Panel>
        )}
        {rows.length > 0 && (listed.group_by.length > 0 || listed.granularity !== 'total') && (
          <Card withBorder p={0}>
            <GroupTable
              question={{ ...question, sort }}
              rows={sortedRows(rows, { ...question, sort })}
              total={listed.total}
              heading={headingOf(listed)}
              searchOf={() => ''}
              onSort={(next) => setSort(next.sort)}
              onMark={setMarked}
            />
          </Card>
        )}
      </Stack>
    </>
  );
}

/** Details of the groups that the table lists; everything else is one area. */
function ofListed(detail: Costs, { groups, other: rest }: Costs): Costs {
  const names = new Set(groups.map(({ by: [first] }) => first?.value));
  const inside = detail.groups.filter(({ by: [first] }) => names.has(first?.value));
  if (!rest || inside.length === detail.groups.length) return detail;
  const value = inside.reduce((left, group) => left - group.value, detail.total.value);
  return { ...detail, groups: inside, other: { ...rest, value } };
}

type DrawnProps = {
  shared: Shared;
  marked: string | null;
  today: string;
  onMark: (key: string | null) => void;
};

function Drawn({ shared, marked, today, onMark }: DrawnProps) {
  const { chart, ranked, detail } = shared;
  const { metric, granularity, period, total } = ranked;
  const unchanging = { onMark, metric };
  if (chart === 'treemap' && detail) {
    const tiles = tilesOf(detail);
    const entries = legendOf(tiles).map((tile): Entry => ({ ...tile, title: tile.name, href: null }));
    return (
      <ChartFrame
        label={`${metrics[metric].title} as areas. The table has the figures.`}
        legend={<Legend {...unchanging} entries={entries} glyph="bar" />}
      >
        <TreemapChart tiles={tiles} metric={metric} marked={marked} total={total.value} />
      </ChartFrame>
    );
  }
  if (granularity === 'total') return null;
  const kind = chart === 'lines' ? 'lines' : 'bars';
  const top = topSeries(ranked);
  const series = shortened(kind === 'lines' ? comparedSeries(ranked, top) : top);
  const spans = spansOf(ranked);
  const compare = questionIn(new URLSearchParams(shared.query)).compare;
  const previous = showsPrevious(spans) && compare !== 'none' ? comparisons[compare] : null;
  const partial = kind === 'bars' ? partialTitle(spans, { granularity, period, today }) : null;
  const label = `${metrics[metric].title} by ${granularity}, ${metrics[metric].amount(total.value)} in total.`;
  const drawn = (
    <SeriesChart
      kind={kind}
      series={series}
      spans={spans}
      metric={metric}
      granularity={granularity}
      period={period}
      today={today}
      marked={marked}
      isLog={kind === 'lines' && needsLog(top)}
    />
  );
  // With the total alone, the figure above is legend enough.
  if (ranked.group_by.length === 0 && previous === null && partial === null)
    return (
      <div className="chart-height" role="img" aria-label={label}>
        {drawn}
      </div>
    );
  return (
    <ChartFrame
      label={`${label} The table has the figures.`}
      legend={
        <Legend
          {...unchanging}
          entries={series.map((each): Entry => ({ ...each, href: null }))}
          glyph={kind === 'bars' ? 'bar' : 'line'}
          previous={previous}
          partial={partial}
        />
      }
    >
      {drawn}
    </ChartFrame>
  );
}

function Ended() {
  return (
    <Center mih="100vh" p="md">
      <Stack component="main" align="center" ta="center" gap="xs" maw={420}>
        <Mark size={44} />
        <Title order={1} size="h2" mt="sm">
          This link has ended
        </Title>
        <Text c="dimmed">It has expired or was revoked. Ask whoever sent it for a new one.</Text>
      </Stack>
    </Center>
  );
}

function Waiting() {
  return (
    <Stack gap="md" aria-busy="true">
      <Skeleton height={28} width={180} />
      <Skeleton height={52} width={280} />
      <Card withBorder p="md">
        <Skeleton height={58} width={260} mb="sm" />
        <Skeleton className="chart-height" />
      </Card>
      <Skeleton height={320} />
    </Stack>
  );
}
