import { Card, Skeleton, Stack, VisuallyHidden } from '@mantine/core';
import { Fragment, useState } from 'react';
import { AnalysisBar } from '../../../analysis/AnalysisBar.tsx';
import { NoCosts } from '../../../analysis/NoCosts.tsx';
import { useCosts, useQuestion, type Costs } from '../../../analysis/queries.ts';
import { initial, queryOf, type Question } from '../../../analysis/question.ts';
import { datesTitle } from '../../../analysis/ranges.ts';
import { dimensions } from '../../../analysis/words.ts';
import { WrongQuestion } from '../../../analysis/WrongQuestion.tsx';
import { tilesOf, topSeries } from '../../../charts/series.ts';
import { headingOf, rowsOf } from '../../../parts/costs/groupRows.ts';
import { GroupTable } from '../../../parts/costs/GroupTable.tsx';
import { pagesOf } from '../../../parts/costs/scope.ts';
import '../../../parts/costs/groups.css';
import { PageTitle } from '../../../ui/Panel.tsx';
import { InText } from '../../../ui/text.tsx';
import { Actions } from './Actions.tsx';
import { ChartPanel, kindIn, nestedBy, useNested } from './ChartPanel.tsx';
import { WhatChanged } from './WhatChanged.tsx';

export function Page() {
  const { question, params, change, searchOf } = useQuestion();
  const kind = kindIn(params);
  const [marked, setMarked] = useState<string | null>(null);
  const today = new Date().toISOString().slice(0, 10);
  // The chart shows the largest groups, whatever the order of the table.
  const ranked = useCosts(queryOf({ ...question, sort: initial.sort }, today));
  const listed = useCosts(queryOf(question, today));
  const costs = ranked.data;
  const isTreemap = kind === 'treemap';
  const nested = useNested(question, today, { enabled: isTreemap }).data;
  const error = ranked.error ?? listed.error;
  const isStale = ranked.isPlaceholderData || listed.isPlaceholderData;
  const isWrong = error !== null && (!costs || isStale);
  const hasNothing = costs?.total.value === 0 && !costs.total.previous_value;
  return (
    <>
      <PageTitle
        title="Explore"
        about={costs ? <About costs={costs} question={question} /> : 'Costs by anything you know about a job'}
      >
        <Actions question={question} chart={kind} today={today} costs={costs} />
      </PageTitle>
      <AnalysisBar
        question={question}
        today={today}
        hasInterval={!isTreemap}
        hasProducts
        thenBy={isTreemap ? nestedBy(question)[1] : undefined}
        onChange={change}
      />
      {!isWrong && !hasNothing && <WhatChanged question={question} today={today} />}
      {isWrong ? (
        <WrongQuestion path="/explore" error={error} retry={() => void ranked.refetch()} />
      ) : !costs || !listed.data ? (
        <Waiting />
      ) : hasNothing ? (
        <NoCosts path="/explore" question={question} searchOf={searchOf} />
      ) : (
        <Stack gap="md" aria-busy={isStale}>
          <ChartPanel
            question={question}
            today={today}
            costs={costs}
            marked={marked}
            isStale={isStale}
            onMark={setMarked}
          />
          <Card withBorder p={0} className={isStale ? 'is-stale' : ''}>
            <GroupTable
              question={shownBy(question, listed.data)}
              rows={rowsOf(shownBy(question, listed.data), {
                costs: listed.data,
                parts: isTreemap && nested ? tilesOf(nested) : topSeries(costs),
                isByFirst: isTreemap,
                today,
              })}
              total={listed.data.total}
              heading={headingOf(listed.data)}
              searchOf={searchOf}
              onSort={(next) => change({ ...next, groupBy: question.groupBy })}
              onMark={setMarked}
            />
          </Card>
        </Stack>
      )}
    </>
  );
}

/** While new figures load, the page still shows the answer to the previous question. */
function shownBy(question: Question, { metric, group_by }: Costs): Question {
  return { ...question, metric, groupBy: group_by };
}

function About({ costs: { period }, question }: { costs: Costs; question: Question }) {
  return (
    <>
      {datesTitle({ from: period.start, to: period.end })}, UTC
      {pagesOf(question).map(({ dimension, href }) => (
        <Fragment key={dimension}>
          {' · '}
          <InText href={href}>{dimensions[dimension]} page</InText>
        </Fragment>
      ))}
    </>
  );
}

function Waiting() {
  return (
    <Stack gap="md" aria-busy="true">
      <VisuallyHidden role="status">Loading</VisuallyHidden>
      <Card withBorder p="md" className="explore-panel">
        <Skeleton height={36} width={260} mb="md" />
        <Skeleton className="chart-height" />
      </Card>
      <Card withBorder p="md">
        <Stack gap={14}>
          {Array.from({ length: 8 }, (_, row) => (
            <Skeleton key={row} height={18} width={row === 0 ? '100%' : `${96 - 5 * row}%`} />
          ))}
        </Stack>
      </Card>
    </Stack>
  );
}
