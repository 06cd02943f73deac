import { Button, Group } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link, useParams } from 'wouter';
import type { Costs } from '../../../analysis/queries.ts';
import { datesOf, datesTitle } from '../../../analysis/ranges.ts';
import { metrics } from '../../../analysis/words.ts';
import type { Group as CostGroup } from '../../../charts/series.ts';
import type { View } from '../../../parts/costs/costView.ts';
import { ExploreLink } from '../../../parts/costs/ExploreLink.tsx';
import {
  percentColumn,
  trendColumn,
  valueColumn,
  changeColumns,
} from '../../../parts/costs/groupColumns.tsx';
import { useScope } from '../../../parts/costs/useScope.ts';
import { Fixes } from '../../../parts/waste/Fixes.tsx';
import { askedBy, hasWaste, listIn } from '../../../parts/workflows/workflowList.ts';
import { useWorkflowCosts, useWorkflowWaste } from '../../../parts/workflows/workflows.ts';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { countOf } from '../../../ui/figures.ts';
import { late } from '../../../ui/late.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { PageTitle, Panel } from '../../../ui/Panel.tsx';
import { Note, RepositoryName, RowLink, sharedOwner } from '../../../ui/text.tsx';
import { nameIn, repositoryAddress } from '../../../ui/useAddress.ts';
import { useVisit } from '../../../ui/visits.ts';
import { ScopePage } from './ScopePage.tsx';

const Missing = late(() => import('../../../layout/Missing.tsx'), 'Page');

export function Page() {
  const name = nameIn(useParams<{ name: string }>().name);
  return name === null ? <Missing /> : <OneTeam name={name} />;
}

function OneTeam({ name }: { name: string }) {
  const isUnowned = name === 'unowned';
  const scope = { dimension: 'team' as const, value: isUnowned ? null : name };
  const { view, costs, search } = useScope(scope, 'repository');
  const { question, today } = view;
  const title = isUnowned ? 'Unowned' : `Team ${name}`;
  useVisit('team', costs.data && title);
  return (
    <>
      <PageTitle
        title={title}
        back={{ href: '/teams', label: 'All teams' }}
        about={<>{datesTitle(datesOf(question.range, today))}, UTC</>}
      >
        <ExploreLink href={`/explore${view.searchOf({ ...question, groupBy: ['workflow'] })}`} />
      </PageTitle>
      <ScopePage
        scope={scope}
        view={view}
        costs={costs}
        aside={
          <>
            {isUnowned && <Ownerless />}
            <TeamFixes view={view} />
          </>
        }
      >
        <Repositories costs={costs} search={search} />
      </ScopePage>
    </>
  );
}

function Ownerless() {
  return (
    <Panel title="Owners">
      <Group justify="space-between" gap="xs">
        <Note>No ownership rule matches these costs.</Note>
        <Button component={Link} href="/settings/owners" size="xs" variant="light">
          Add rules
        </Button>
      </Group>
    </Panel>
  );
}

/** Fixes for workflows that belong to the team entirely. */
function TeamFixes({ view: { question, today } }: { view: View }) {
  const asked = askedBy(question, listIn(new URLSearchParams()), today);
  const list = useWorkflowCosts(asked).data;
  const isCounted = hasWaste(question, today);
  const { data: counted, error } = useWorkflowWaste(asked, { enabled: isCounted && list !== undefined });
  const own = (list?.data ?? []).filter(({ runs }) => runs !== null);
  const waste = counted?.total.waste_cost;
  return (
    <Fixes
      of={{ workflows: own.map(({ workflow_id: id }) => id) }}
      isReady={list !== undefined}
      sums={
        !isCounted || error || waste === null
          ? null
          : waste === undefined
            ? undefined
            : { waste, cost: counted!.total.cost, of: 'in this period' }
      }
    />
  );
}

function Repositories({ costs, search }: { costs: UseQueryResult<Costs>; search: string }) {
  return (
    <Panel title="Repositories">
      <Loaded query={costs} height={240}>
        {(data) => {
          const { total, other } = data;
          return (
            <>
              <DataTable
                label="Repositories"
                minWidth={560}
                rows={data.groups}
                columns={columnsOf(data)}
                keyOf={nameOf}
                hrefOf={(group) => repositoryAddress(nameOf(group)) + search}
                order={{ column: metrics[data.metric].title, isDescending: true }}
                isStacked
              />
              {other && total.value > 0 && countOf(other.groups, 'more repository', 'more repositories')}
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

const nameOf = ({ by: [repository] }: CostGroup): string => repository!.name;

function columnsOf(costs: Costs): Column<CostGroup>[] {
  const { groups, other } = costs;
  const count = groups.length + (other?.groups ?? 0);
  const owner = sharedOwner(groups.map(nameOf));
  return [
    {
      title: 'Repository',
      value: nameOf,
      cell: (group) => (
        <RowLink href={repositoryAddress(nameOf(group))}>
          <RepositoryName name={nameOf(group)} owner={owner} />
        </RowLink>
      ),
      // The total of a single repository would repeat it.
      ...(count > 1 && { total: countOf(count, 'repository', 'repositories') }),
    },
    valueColumn(costs, { hasTotal: true }),
    ...changeColumns(costs, { hasTotal: true }),
    percentColumn,
    trendColumn(costs, 'list-trend'),
  ];
}
