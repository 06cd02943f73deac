import { Anchor } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { AnalysisBar } from '../../../analysis/AnalysisBar.tsx';
import { NoCosts } from '../../../analysis/NoCosts.tsx';
import { parametersOf, questionIn, type Question } from '../../../analysis/question.ts';
import { datesOf, datesTitle } from '../../../analysis/ranges.ts';
import { measures, overviewOf } from '../../../parts/costs/costView.ts';
import { useRecentRuns } from '../../../parts/costs/queries.ts';
import { withRepo } from '../../../parts/workflows/workflowList.ts';
import { WorkflowList } from '../../../parts/workflows/WorkflowList.tsx';
import { minSecondsBetweenSums, runSums } from '../../../parts/workflows/workflows.ts';
import { Empty, PageTitle } from '../../../ui/Panel.tsx';
import { RowLink } from '../../../ui/text.tsx';
import { useAddress } from '../../../ui/useAddress.ts';
import { useFollowing } from '../../../ui/useFollowing.ts';

export function Page() {
  const [params, setParams] = useSearchParams();
  const question = withRepo(overviewOf(questionIn(params)), params.get('repo'));
  const today = new Date().toISOString().slice(0, 10);
  useFollowing(useRecentRuns().data, runSums, minSecondsBetweenSums);
  const searchOf = (next: Question) => parametersOf(next, withoutOld(params));
  return (
    <>
      <PageTitle title="Workflows" about={`${datesTitle(datesOf(question.range, today))}, UTC`}>
        <RowLink href="/pull-requests">Pull requests</RowLink>
      </PageTitle>
      <AnalysisBar
        question={question}
        today={today}
        measures={measures}
        isGrouped={false}
        onChange={(next) => setParams(searchOf(next))}
      />
      <WorkflowList
        question={question}
        today={today}
        path="/workflows"
        none={({ search, status }) =>
          search || status ? (
            <NoMatches />
          ) : (
            <NoCosts
              path="/workflows"
              question={question}
              searchOf={(next) => `?${searchOf(next).toString()}`}
            />
          )
        }
      />
    </>
  );
}

/** A new question starts on the first page, and a repository becomes a filter. */
function withoutOld(params: URLSearchParams): URLSearchParams {
  const others = new URLSearchParams(params);
  for (const name of ['repo', 'page']) others.delete(name);
  return others;
}

function NoMatches() {
  const [, change] = useAddress();
  return (
    <Empty title="No matching workflows">
      <Anchor
        component="button"
        type="button"
        underline="always"
        onClick={() => change({ search: null, status: null })}
      >
        Clear search
      </Anchor>
    </Empty>
  );
}
