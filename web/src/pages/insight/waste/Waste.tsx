import { Anchor, Box, Group, Stack, Text } from '@mantine/core';
import { useRef } from 'react';
import { Link } from 'wouter';
import { DaysChoice } from '../../../ui/DaysChoice.tsx';
import { Empty } from '../../../ui/Empty.tsx';
import { Figure, Figures } from '../../../ui/Figure.tsx';
import { count, countOf, longDay } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Money } from '../../../ui/Money.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { PageTitle } from '../../../ui/PageTitle.tsx';
import { SearchField } from '../../../ui/SearchField.tsx';
import { oneOf, pageIn, useAddress } from '../../../ui/useAddress.ts';
import { useRepositories } from '../workflows/queries.ts';
import { AddingUp } from './AddingUp.tsx';
import { categoryNames } from './categories.ts';
import { CategoriesPanel } from './CategoriesPanel.tsx';
import { useWaste, type CategoryName, type Waste } from './queries.ts';
import { WorkflowsPanel } from './WorkflowsPanel.tsx';

const daysKnown = ['7', '30', '90'] as const;

export function Page() {
  const [params, change] = useAddress();
  const days = oneOf(daysKnown, params.get('days'), '30');
  const repo = params.get('repo') ?? '';
  const page = pageIn(params);
  const category = oneOf(categoryNames, params.get('category'), null);
  const waste = useWaste({
    days: Number(days),
    page,
    per_page: 25,
    ...(repo ? { repo } : {}),
    ...(category ? { category } : {}),
  });
  const repositories = useRepositories(Number(days));
  const list = useRef<HTMLDivElement>(null);
  const listBy = (name: CategoryName | null): void => {
    change({ category: name });
    // The clicked button may be far from the list, or gone.
    list.current?.focus({ preventScroll: true });
    list.current?.scrollIntoView({ block: 'start' });
  };
  return (
    <>
      <PageTitle
        title="Waste"
        about="Costs without a useful result, and how to cut them. Each minute counts once."
      >
        <DaysChoice known={daysKnown} value={days} onChange={(value) => change({ days: value })} />
      </PageTitle>
      <Group>
        <SearchField
          label="Repository"
          placeholder="owner/name"
          value={repo}
          suggestions={repositories}
          onSettled={(value) => change({ repo: value }, { replace: true })}
        />
      </Group>
      {waste.isPlaceholderData && <AddingUp days={days} height={8} />}
      {waste.isPending ? (
        <AddingUp days={days} height={640} />
      ) : (
        <Loaded query={waste} height={640}>
          {({ data, pagination }) =>
            pagination.total === 0 && category === null ? (
              <NothingRan days={days} repo={repo} />
            ) : (
              <Stack gap="md" aria-busy={waste.isPlaceholderData}>
                <Totals data={data} asked={Number(days)} />
                <CategoriesPanel data={data} onCategory={listBy} />
                <Box ref={list} tabIndex={-1} style={{ scrollMarginTop: 72 }}>
                  <WorkflowsPanel
                    workflows={data.workflows}
                    days={days}
                    category={category}
                    onAll={() => listBy(null)}
                  />
                </Box>
                {data.workflows.length === 0 && (
                  <Empty
                    title={pagination.total === 0 ? 'No workflows in this category' : 'Nothing on this page'}
                  />
                )}
                <Pager
                  pagination={pagination}
                  one="workflow"
                  onPage={(wanted) => change({ page: wanted === 1 ? null : String(wanted) })}
                />
              </Stack>
            )
          }
        </Loaded>
      )}
    </>
  );
}

function Totals({ data, asked }: { data: Waste; asked: number }) {
  const { period } = data;
  const percent = data.total_cost === 0 ? 0 : (100 * data.waste_cost) / data.total_cost;
  const waited = data.categories.reduce((sum, { waited_minutes }) => sum + waited_minutes, 0);
  return (
    <Box>
      <Figures>
        <Figure
          label="Cost"
          value={<Money amount={data.total_cost} />}
          note={countOf(Math.round(data.total_minutes), 'minute')}
        />
        <Figure
          label="Useful"
          value={<Money amount={data.useful_cost} />}
          note={countOf(Math.round(data.useful_minutes), 'minute')}
        />
        <Figure
          label="Waste"
          value={<Money amount={data.waste_cost} />}
          note={`${percent.toFixed(1)}% of the cost`}
        />
        <Figure
          label="Queued, never ran"
          value={`${count(Math.round(waited))} min`}
          note="in the queue, at no cost"
        />
      </Figures>
      {period.days < asked && (
        <Text size="sm" c="dimmed" mt="xs">
          Covers {countOf(period.days, 'day')}, since {longDay(period.start)}. Your plan, or the number of
          jobs, allows no more.
        </Text>
      )}
    </Box>
  );
}

function NothingRan({ days, repo }: { days: string; repo: string }) {
  if (repo)
    return (
      <Empty title="No matching jobs">
        No completed jobs of this repository in the last {days} days.{' '}
        <Anchor component={Link} href={`/waste?days=${days}`} underline="always">
          Clear filters
        </Anchor>
      </Empty>
    );
  return (
    <Empty title="No waste to show">
      No completed jobs in this period. Choose a longer period, or{' '}
      <Anchor component={Link} href="/sources" underline="always">
        connect your CI
      </Anchor>
      .
    </Empty>
  );
}
