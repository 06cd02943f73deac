import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ChangeCell } from '../../../analysis/Change.tsx';
import { colorOf, slots, slotsFor } from '../../../analysis/colors.ts';
import { literal, parametersOf, initial } from '../../../analysis/question.ts';
import { rangeOf } from '../../../analysis/ranges.ts';
import { metrics } from '../../../analysis/words.ts';
import { PercentBar } from '../../../charts/PercentBar.tsx';
import { commonOf, withoutCommon } from '../../../charts/series.ts';
import { numberColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { count } from '../../../ui/figures.ts';
import { Panel } from '../../../ui/Panel.tsx';
import { Money, RowLink } from '../../../ui/text.tsx';
import '../../../parts/workflows/workflows.css';
import { teamAddress } from '../../../ui/useAddress.ts';
import type { OwnerCosts, Showback } from './queries.ts';

type Props = { data: Showback; kind: string };

export function OwnersPanel({ data, kind }: Props) {
  const { owners, total, metric } = data;
  const all = owners.flatMap(({ repositories }) => repositories.map(({ repository }) => repository));
  const common = commonOf(all.map((title) => ({ key: title, title })));
  // As many colors as the chart of the months uses.
  const keys = owners.slice(0, slots).map(({ owner }) => keyOf({ by: data.by, owner }));
  const given = slotsFor(keys);
  const slotOf = ({ owner }: OwnerCosts) => given[keys.indexOf(keyOf({ by: data.by, owner }))] ?? null;
  const figure = (title: string, of: (sums: Sums) => number, shown: (value: number) => ReactNode) => ({
    ...numberColumn<OwnerCosts>(title, of, shown),
    total: shown(of(total)),
  });
  const columns: Column<OwnerCosts>[] = [
    {
      title: kind,
      value: ({ name }) => name,
      cell: (owner) => (
        <>
          <span>
            <span className="swatch" style={{ background: colorOf(slotOf(owner)), marginInlineEnd: 8 }} />
            <RowLink href={addressOf(data, owner)}>{owner.owner === null ? 'Unowned' : owner.name}</RowLink>
          </span>
          <Repositories owner={owner} common={common} />
        </>
      ),
    },
    { ...figure(metrics[metric].title, ({ cost }) => cost, dollarsShown), isMain: true },
    {
      title: 'Share',
      isHiddenOnPhones: true,
      isNumber: true,
      value: ({ share_percent: share }) => share,
      className: 'list-share',
      cell: (owner) => <PercentBar percent={owner.share_percent} slot={slotOf(owner)} />,
      total: total.cost === 0 ? '0.0%' : '100.0%',
    },
    { ...figure('Billed minutes', ({ minutes }) => minutes, count), isHiddenOnPhones: true },
    { ...figure('Jobs', ({ jobs }) => jobs, count), isHiddenOnPhones: true },
    { ...figure('Previous period', ({ previous_cost: cost }) => cost, dollarsShown), isHiddenOnPhones: true },
    {
      title: 'Change',
      className: 'row-beside',
      isNumber: true,
      value: ({ change }) => change,
      cell: (owner) => changeOf(owner, metric),
      total: changeOf(total, metric),
    },
  ];
  return (
    <Panel title={`${metrics[metric].title} by ${kind.toLowerCase()}`}>
      <DataTable
        label="Owners"
        minWidth={640}
        rows={owners}
        keyOf={({ owner }) => owner ?? ''}
        hrefOf={(owner) => addressOf(data, owner)}
        columns={columns}
        order={{ column: metrics[metric].title, isDescending: true }}
        isStacked
      />
    </Panel>
  );
}

/** The key of an owner in the chart of the months. */
export function keyOf({ by, owner }: { by: Showback['by']; owner: string | null }): string {
  return `${by}=${owner ?? ''}`;
}

type Sums = Pick<Showback['total'], 'cost' | 'minutes' | 'jobs' | 'previous_cost'>;

const dollarsShown = (amount: number) => <Money amount={amount} />;

function changeOf({ cost, previous_cost: previous }: Sums, metric: Showback['metric']): ReactNode {
  return <ChangeCell value={cost} previous={previous} metric={metric} />;
}

/** The page of the team, or the cost center's cost in Explore. */
function addressOf({ by, metric, period }: Showback, { owner }: OwnerCosts): string {
  const today = new Date().toISOString().slice(0, 10);
  const question = {
    ...initial,
    metric,
    range: rangeOf({ from: period.start, to: period.end }, today),
  };
  // The page of a team has list and net cost only.
  if (by === 'team' && metric !== 'full_cost') return `${teamAddress(owner)}?${parametersOf(question)}`;
  const filters = [{ dimension: by, isNot: false, values: [literal(owner)] }];
  return `/explore?${parametersOf({ ...question, filters })}`;
}

function Repositories({ owner, common }: { owner: OwnerCosts; common: string }) {
  return (
    <Text size="xs" c="dimmed" fw={400} ps={18} className="row-note">
      {repositoriesText(owner, common)}
    </Text>
  );
}

function repositoriesText({ repositories, other_repositories: others }: OwnerCosts, common: string): string {
  const names = repositories.map(({ repository }) => withoutCommon(repository, common)).join(', ');
  return others === 0 ? names : `${names} and ${count(others)} more`;
}
