import { Card, Group, Skeleton, Stack } from '@mantine/core';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { ComparePick } from '../../../analysis/ComparePick.tsx';
import { NoCosts } from '../../../analysis/NoCosts.tsx';
import { Pick } from '../../../analysis/Pick.tsx';
import { initial, isOnlyToday, weekStartAsked } from '../../../analysis/question.ts';
import { RangePicker } from '../../../analysis/RangePicker.tsx';
import {
  datesOf,
  datesTitle,
  rangeIn,
  rangeOf,
  rangeParameters,
  type Range,
} from '../../../analysis/ranges.ts';
import { comparisons, type Comparison } from '../../../analysis/words.ts';
import { chartPlaceholder } from '../../../charts/ChartFrame.tsx';
import { Moves } from '../../../parts/waste/Moves.tsx';
import {
  useFixes,
  type CategoryName,
  type FixKind,
  type Fixes,
  type FixesQuery,
} from '../../../parts/waste/waste.ts';
import '../../../analysis/analysis.css';
import { fixKinds, fixShown, orderOf, wasteCategory } from '../../../parts/waste/wasteCategories.ts';
import '../../../charts/charts.css';
import { useRepositories } from '../../../parts/workflows/workflows.ts';
import { countOf, longDay } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Empty, PageTitle, Panel } from '../../../ui/Panel.tsx';
import { RemovedRuns } from '../../../ui/RemovedRuns.tsx';
import { SearchField } from '../../../ui/SearchField.tsx';
import { Money, Note, TextLink } from '../../../ui/text.tsx';
import { oneOf, pageIn, useAddress } from '../../../ui/useAddress.ts';
import { FixesPanel, shownNames } from './FixesPanel.tsx';
import { SavingPanel } from './SavingPanel.tsx';
import { StoragePanel } from './StoragePanel.tsx';
import './waste.css';
import { TrendPanel } from './TrendPanel.tsx';

const rangeNames = ['days', 'range', 'from', 'to'];
const comparisonNames = Object.keys(comparisons) as Comparison[];
const perPage = 15;
/** So that all large fixes are on the first page. */
const openPerPage = 100;

export function Page() {
  const [params, setParams] = useSearchParams();
  const [, change] = useAddress();
  const today = new Date().toISOString().slice(0, 10);
  const choices = choicesIn(params, today);
  const { range, repo, compare, category, shown, page } = choices;
  const setRange = (next: Range): void => {
    const after = new URLSearchParams(params);
    for (const name of [...rangeNames, 'page']) after.delete(name);
    for (const [name, value] of rangeParameters(next)) after.set(name, value);
    setParams(after);
  };
  const days = range.kind === 'days' ? { days: range.days } : datesOf(range, today);
  const asked = { ...days, ...(repo && { repo }), ...(category && { category }) };
  const query: FixesQuery = { ...asked, compare, ...weekStartAsked() };
  const listed = { ...query, page, per_page: shown === 'open' ? openPerPage : perPage };
  const fixes = useFixes(
    shown === 'workflows' ? { ...query, per_page: perPage } : { ...listed, status: shown },
  );
  const isOutdated = useIsOutdated(query, fixes.isPlaceholderData);
  const [marked, setMarked] = useState<CategoryName | null>(null);
  const chooseCategory = (name: FixKind | null) => change({ category: name });
  return (
    <>
      <PageTitle
        title="Waste"
        about={`${datesTitle(datesOf(range, today))}, UTC · costs without a useful result, and how to cut them`}
      />
      <Bar choices={choices} today={today} setRange={setRange} onCategory={chooseCategory} />
      <Loaded query={fixes} height={240} waiting={<Loading />}>
        {(list) => {
          const { data } = list;
          if (isClean(data, category)) return <Clean data={data} />;
          if (!hasJobs(data))
            return (
              <>
                <RemovedRuns from={data.period.start} />
                <NothingRan repo={repo} range={range} />
              </>
            );
          return (
            <Stack gap="md" aria-busy={fixes.isPlaceholderData} className={isOutdated ? 'is-stale' : ''}>
              <div className="waste-columns">
                <SavingPanel
                  data={data}
                  repo={repo}
                  chosen={category}
                  onCategory={chooseCategory}
                  onMark={setMarked}
                />
                <TrendPanel
                  repo={repo}
                  today={today}
                  range={range}
                  compare={compare}
                  order={orderOf(data)}
                  isReady={!fixes.isPlaceholderData}
                  marked={marked ?? wasteCategory(category)}
                  onCategory={chooseCategory}
                  onWeeks={(dates) => setRange(rangeOf(dates, today))}
                />
              </div>
              <Shortened data={data} range={range} today={today} />
              <RemovedRuns from={data.period.start} />
              <FixesPanel
                isStale={!isOutdated && fixes.isPlaceholderData}
                shown={shown}
                list={list}
                range={days}
                query={asked}
                page={page}
                onShow={(name) => change({ show: name === 'open' ? null : name })}
                onPage={(wanted) => change({ page: wanted === 1 ? null : String(wanted) })}
              />
            </Stack>
          );
        }}
      </Loaded>
      <StoragePanel repo={repo}>
        <Moves key={repo} of={{ ...(repo && { repo }) }} />
      </StoragePanel>
    </>
  );
}

function choicesIn(params: URLSearchParams, today: string) {
  const range = rangeIn(params);
  const compare = oneOf(comparisonNames, params.get('compare'), initial.compare);
  return {
    range,
    compare: isOnlyToday({ range }, today) ? 'none' : compare,
    repo: params.get('repo') ?? '',
    category: oneOf(fixKinds, params.get('category'), null),
    shown: oneOf(shownNames, params.get('show'), 'open'),
    page: pageIn(params),
  };
}

/** Whether everything shown answers an older question. Changing the tab or page of the list leaves the rest current. */
function useIsOutdated(query: FixesQuery, isWaiting: boolean): boolean {
  const question = JSON.stringify(query);
  const [answered, setAnswered] = useState(question);
  if (!isWaiting && answered !== question) setAnswered(question);
  return isWaiting && answered !== question;
}

type BarProps = {
  choices: ReturnType<typeof choicesIn>;
  today: string;
  setRange: (range: Range) => void;
  onCategory: (category: FixKind | null) => void;
};

function Bar({ choices: { range, compare, category, repo }, today, setRange, onCategory }: BarProps) {
  const [, change] = useAddress();
  const repositories = useRepositories(30);
  return (
    <Group gap="xs" component="section" aria-label="Question" className="analysis-bar bar-row waste-bar">
      <RangePicker range={range} today={today} onChange={setRange} />
      <ComparePick
        range={range}
        today={today}
        value={compare}
        onChange={(value) => change({ compare: value === initial.compare ? null : value })}
      />
      <Pick
        label="Category"
        value={category ?? 'all'}
        options={[
          { value: 'all', title: 'All' },
          ...fixKinds.map((value) => ({ value, title: fixShown[value].label })),
        ]}
        onChange={(name) => onCategory(name === 'all' ? null : (name as FixKind))}
      />
      <SearchField
        isCompact
        label="Repository"
        placeholder="Repository"
        value={repo}
        suggestions={repositories}
        onSettled={(value) => change({ repo: value }, { replace: true })}
      />
    </Group>
  );
}

function hasJobs({ total_minutes: minutes, total_cost: cost, counts, categories }: Fixes): boolean {
  const decided = counts.done + counts.dismissed + counts.open;
  return minutes > 0 || cost > 0 || decided > 0 || categories.some(({ jobs }) => jobs > 0);
}

/** Whether jobs ran and none of their cost was waste. */
function isClean(data: Fixes, category: FixKind | null): boolean {
  const { waste_cost: waste, counts, total_cost: cost } = data;
  return category === null && cost > 0 && waste === 0 && counts.open + counts.done + counts.dismissed === 0;
}

function Clean({ data: { total_cost: cost, period } }: { data: Fixes }) {
  return (
    <Empty title="No waste found">
      All of the <Money amount={cost} /> of {datesTitle({ from: period.start, to: period.end })} had a useful
      result. Failed, superseded and repeated jobs, rounding, and jobs that never ran show here.
    </Empty>
  );
}

function Shortened({ data: { period }, range, today }: { data: Fixes; range: Range; today: string }) {
  const { from } = datesOf(range, today);
  if (period.start <= from) return null;
  return (
    <Note>
      Covers {countOf(period.days, 'day')}, since {longDay(period.start)}: at most 90 days, and what your plan
      and the number of jobs allow.
    </Note>
  );
}

function Loading() {
  return (
    <Stack gap="md" aria-busy="true">
      <div className="waste-columns">
        <Card withBorder p="md">
          <Note role="status">Adding up jobs…</Note>
          <Skeleton height={34} mt={6} />
          <Skeleton height={290} mt="md" />
        </Card>
        <Panel title="Weekly waste" aside={<Skeleton height={26} width={104} />}>
          {chartPlaceholder}
        </Panel>
      </div>
      <Panel title="What to change">
        <Skeleton height={600} />
      </Panel>
    </Stack>
  );
}

function NothingRan({ repo, range }: { repo: string; range: Range }) {
  if (repo)
    return (
      <Empty title="No matching jobs">
        No completed jobs of this repository in this period.{' '}
        <TextLink href="/waste" underline="always">
          Clear filters
        </TextLink>
      </Empty>
    );
  return (
    <NoCosts
      path="/waste"
      question={{ ...initial, range }}
      searchOf={({ range: next }) => `?${new URLSearchParams(rangeParameters(next)).toString()}`}
    />
  );
}
