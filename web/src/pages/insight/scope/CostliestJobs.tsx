import { namesOf } from '../../../analysis/changeWords.ts';
import { useCosts, type Costs } from '../../../analysis/queries.ts';
import { literal, narrowed, queryOf, withFilter, type Question } from '../../../analysis/question.ts';
import { metrics, valueTitle } from '../../../analysis/words.ts';
import { keyOf, type Group } from '../../../charts/series.ts';
import type { View } from '../../../parts/costs/costView.ts';
import { changeColumns, percentColumn, valueColumn } from '../../../parts/costs/groupColumns.tsx';
import { NamedLink } from '../../../parts/workflows/NamedLink.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { count, unitDollars } from '../../../ui/figures.ts';
import { Loaded, Loading } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Note } from '../../../ui/text.tsx';

const title = 'Most expensive jobs';
const maxListed = 8;
const height = 400;

/** Jobs of one name are one row, because the most expensive single jobs often share a name. */
export function CostliestJobs({ view, isOfOne }: { view: View; isOfOne: boolean }) {
  const { question, today, searchOf } = view;
  const asked = { ...question, groupBy: ['workflow', 'job'] };
  const costs = useCosts(queryOf(asked, today, { granularity: 'total', limit: maxListed }));
  const groups = costs.data?.groups ?? [];
  const counts = useCosts(countsQueryOf(asked, today, groups), { enabled: groups.length > 0 });
  const countByKey = new Map(counts.data?.groups.map((group) => [keyOf(group), group.value]));
  const hrefOf = ({ narrow }: Group) => `/explore${searchOf(narrowed(asked, narrow))}`;
  return (
    <Panel title={title} aside={<Note>Completed in this period</Note>}>
      <Loaded query={costs} height={height}>
        {(data) =>
          counts.isLoading ? (
            <Loading height={height} />
          ) : (
            <DataTable
              label={title}
              minWidth={680}
              rows={data.groups}
              columns={columnsOf(data, { countByKey, hrefOf, isOfOne })}
              keyOf={keyOf}
              hrefOf={hrefOf}
              order={{ column: metrics[data.metric].title, isDescending: true }}
              isStacked
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

/** Counts the jobs of the listed groups: filters by all of their workflows and all of their job names. */
function countsQueryOf(asked: Question, today: string, groups: readonly Group[]) {
  const only = (index: number, dimension: 'workflow' | 'job') => ({
    dimension,
    isNot: false,
    values: [...new Set(groups.map(({ by }) => literal(by[index]!.value)))],
  });
  const listed = withFilter(withFilter(asked, null, only(0, 'workflow')), null, only(1, 'job'));
  const counted = { ...listed, metric: 'jobs' as const, compare: 'none' as const };
  return queryOf(counted, today, { granularity: 'total', limit: maxListed ** 2 });
}

type Known = {
  countByKey: ReadonlyMap<string, number>;
  hrefOf: (group: Group) => string;
  isOfOne: boolean;
};

const nameOf = ({ by: [, job] }: Group): string => valueTitle('job', job!.name);

function noteOf({ by: [workflow] }: Group, isOfOne: boolean): string {
  const names = namesOf(workflow!.name);
  return isOfOne ? names.workflow : `${names.repository} · ${names.workflow}`;
}

function columnsOf(data: Costs, { countByKey, hrefOf, isOfOne }: Known): Column<Group>[] {
  const jobsOf = (group: Group) => countByKey.get(keyOf(group)) ?? null;
  return [
    {
      title: 'Job',
      value: nameOf,
      cell: (group) => (
        <NamedLink href={hrefOf(group)} workflow={nameOf(group)} note={noteOf(group, isOfOne)} />
      ),
    },
    valueColumn(data),
    ...changeColumns(data),
    percentColumn,
    {
      title: 'Jobs',
      isNumber: true,
      className: 'row-labeled',
      value: jobsOf,
      cell: (group) => {
        const jobs = jobsOf(group);
        return jobs === null ? '–' : count(jobs);
      },
    },
    {
      title: 'Per job',
      isNumber: true,
      className: 'row-labeled',
      value: (group) => group.value / (jobsOf(group) || 1),
      cell: (group) => {
        const jobs = jobsOf(group);
        return jobs ? unitDollars(group.value / jobs) : '–';
      },
    },
  ];
}
