import { Card, Group, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { AnalysisBar } from '../../../analysis/AnalysisBar.tsx';
import { NoCosts } from '../../../analysis/NoCosts.tsx';
import { useQuestion } from '../../../analysis/queries.ts';
import { initial, literal, parametersOf, selectionOf, type Question } from '../../../analysis/question.ts';
import { datesOf, datesTitle } from '../../../analysis/ranges.ts';
import { pullRequestStates, valueTitle } from '../../../analysis/words.ts';
import { WrongQuestion } from '../../../analysis/WrongQuestion.tsx';
import { type Answer, bodyQuery } from '../../../api/query.ts';
import { overviewOf } from '../../../parts/costs/costView.ts';
import { countColumn, moneyColumn, shownColumn, textColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { Figure, FigureSkeleton, Figures } from '../../../ui/Figure.tsx';
import { countOf, longDay, share } from '../../../ui/figures.ts';
import { Loaded, Loading, isWrong } from '../../../ui/Loaded.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { PageTitle, Panel } from '../../../ui/Panel.tsx';
import { InText, Money, Note, RowLink } from '../../../ui/text.tsx';
import { pageIn, useAddress } from '../../../ui/useAddress.ts';
import { Rounds } from './Rounds.tsx';

const listPath = '/api/v1/pull-requests';
const perPage = 20;

type List = Answer<typeof listPath>;
type PullRequest = List['pull_requests'][number];

export function Page() {
  const { question: asked, params, change } = useQuestion();
  const [, changeAddress] = useAddress();
  const question: Question = { ...overviewOf(asked), metric: 'cost', compare: initial.compare };
  const today = new Date().toISOString().slice(0, 10);
  const query = { ...selectionOf(question, today), page: pageIn(params), per_page: perPage };
  const list = useQuery({
    ...bodyQuery(listPath, { query }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  const searchOf = (next: Question) => `?${parametersOf(next, withoutPage(params)).toString()}`;
  const dates = `${datesTitle(datesOf(question.range, today))}, UTC`;
  return (
    <>
      <PageTitle title="Pull requests" about={`${dates} · what CI costs until a merge`}>
        <RowLink href="/settings/pull-requests">Comments and checks</RowLink>
      </PageTitle>
      <AnalysisBar
        question={question}
        today={today}
        measures={['cost']}
        isGrouped={false}
        isCompared={false}
        onChange={(next) => change(next, withoutPage(params))}
      />
      {isWrong(list.error) ? (
        <WrongQuestion path="/pull-requests" error={list.error} retry={() => void list.refetch()} />
      ) : (
        <Loaded query={list} waiting={<Waiting />}>
          {({ data, pagination }) => (
            <Stack
              gap="md"
              aria-busy={list.isPlaceholderData}
              className={list.isPlaceholderData ? 'is-stale' : ''}
            >
              <Totals data={data} />
              {pagination.total === 0 ? (
                <NoCosts path="/pull-requests" question={question} searchOf={searchOf} />
              ) : (
                <Panel title="Most expensive" aside={<InExplore question={question} />}>
                  <Listed data={data} />
                  <Pager
                    pagination={pagination}
                    one="pull request"
                    onPage={(page) => changeAddress({ page: page === 1 ? null : String(page) })}
                  />
                  <Unknown states={data.states} />
                </Panel>
              )}
            </Stack>
          )}
        </Loaded>
      )}
    </>
  );
}

function withoutPage(params: URLSearchParams): URLSearchParams {
  const others = new URLSearchParams(params);
  others.delete('page');
  return others;
}

function Waiting() {
  return (
    <Stack gap="md">
      <Figures>
        {['Cost', 'Cost until merge', 'Merged', 'Closed without merge'].map((label) => (
          <FigureSkeleton key={label} label={label} />
        ))}
      </Figures>
      <Card withBorder>
        <Loading height={640} />
      </Card>
    </Stack>
  );
}

/** Of the cost: agents and bots apart; null if they caused nothing. */
function programs({ actor_kinds: kinds, cost }: Pick<PullRequest, 'actor_kinds' | 'cost'>): string | null {
  const parts = kinds
    .filter(({ kind, cost: own }) => (kind === 'agent' || kind === 'bot') && own > 0)
    .map(({ kind, cost: own }) => `${valueTitle('actor_kind', kind!)} ${share(own / cost)}`);
  return parts.length === 0 ? null : parts.join(', ');
}

function Totals({ data }: { data: List }) {
  const { cost, states, merged, closed, counted_from: from } = data;
  const count = states.reduce((sum, { pull_requests: own }) => sum + own, 0);
  return (
    <Figures>
      <Figure
        label="Cost"
        value={<Money amount={cost} />}
        note={[countOf(count, 'pull request'), programs(data)].filter(Boolean).join(' · ')}
      />
      <Figure
        label="Cost until merge"
        value={merged.median_cost === null ? '–' : <Money amount={merged.median_cost} />}
        note={`median, counted from ${longDay(from)}`}
      />
      <Figure
        label="Merged"
        value={<Money amount={merged.cost} />}
        note={`${countOf(merged.pull_requests, 'pull request')}, all their days`}
      />
      <Figure
        label="Closed without merge"
        value={<Money amount={closed.cost} />}
        note={`${countOf(closed.pull_requests, 'pull request')}, all their days`}
      />
    </Figures>
  );
}

/** The same costs by what else people ask for. */
function InExplore({ question }: { question: Question }) {
  const hrefOf = (groupBy: string) => {
    const filters = [...question.filters, { dimension: 'pull_request' as const, isNot: true, values: [''] }];
    const next = { ...question, groupBy: [groupBy], filters };
    return `/explore?${parametersOf(next).toString()}`;
  };
  return (
    <Group gap="md">
      <RowLink href={hrefOf('pull_request_state')}>By state</RowLink>
      <RowLink href={hrefOf('pull_request_author')}>By author</RowLink>
      <RowLink href={hrefOf('team')}>By team</RowLink>
      <RowLink href={hrefOf('actor_kind')}>By agents and people</RowLink>
    </Group>
  );
}

const keyOf = ({ provider, repository, number }: PullRequest) => `${provider} ${repository}#${number}`;

function Listed({ data }: { data: List }) {
  return (
    <DataTable
      label="Pull requests"
      rows={data.pull_requests}
      columns={columnsFrom(data)}
      keyOf={keyOf}
      minWidth={720}
      isStacked
      isPart
      details={{
        of: (row) => <Rounds of={row} />,
        label: ({ repository, number }, isOpen) =>
          `${isOpen ? 'Hide' : 'Show'} pushes of ${repository}#${number}`,
      }}
    />
  );
}

/** All its jobs in Explore. */
function hrefFrom({ counted_from: from, period }: List, { repository, number }: PullRequest): string {
  const days = { from, to: period.end };
  const of = { repository: literal(repository), pull_request: String(number) };
  return `/explore?${new URLSearchParams({ ...days, group_by: 'job', ...of }).toString()}`;
}

function columnsFrom(data: List): Column<PullRequest>[] {
  return [
    {
      title: 'Pull request',
      value: ({ repository, number }) => `${repository}#${number}`,
      cell: (row) => (
        <>
          <RowLink href={hrefFrom(data, row)}>
            {row.repository}#{row.number}
          </RowLink>
          {row.title !== null && (
            <Note size="xs" fw={400} className="row-note">
              {row.title}
            </Note>
          )}
        </>
      ),
    },
    moneyColumn('Cost', ({ cost }) => cost, { isMain: true }),
    moneyColumn('In total', ({ total_cost: cost }) => cost),
    textColumn('Author', ({ author }) => author, { isPlain: true }),
    shownColumn(
      'State',
      ({ state }) => state,
      (state) => pullRequestStates[state],
      { isPlain: true },
    ),
    textColumn('Agents, bots', programs, { isPlain: true, isHiddenOnPhones: true }),
    countColumn('Pushes', ({ pushes }) => pushes, { isHiddenOnPhones: true }),
    countColumn('Re-runs', ({ reruns }) => reruns, { isHiddenOnPhones: true }),
  ];
}

function Unknown({ states }: { states: List['states'] }) {
  const { pull_requests: count, cost } = states.find(({ state }) => state === 'unknown')!;
  if (count === 0) return null;
  return (
    <Note>
      {countOf(count, 'pull request')} (<Money amount={cost} />) {count === 1 ? 'has' : 'have'} an unknown
      state, because no event said it. The <InText href="/sources">webhook or GitHub App</InText> must send
      pull requests (merge requests at GitLab).
    </Note>
  );
}
