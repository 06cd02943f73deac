import { Card, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { moneyColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { countOf, share } from '../../../ui/figures.ts';
import { Panel } from '../../../ui/Panel.tsx';
import { SmallButton } from '../../../ui/rights.tsx';
import { Money, Note, RepositoryName, RowLink, sharedOwner } from '../../../ui/text.tsx';
import { repositoryAddress } from '../../../ui/useAddress.ts';
import type { Given } from './RuleForm.tsx';
import { kinds, ownerAddress, unownedIn, type RuleCosts } from './rules.ts';

type UnownedCosts = RuleCosts['unowned'][number];
type Row = UnownedCosts['repositories'][number];

type Props = { costs: RuleCosts; onAdd: ((given: Given) => void) | null };

/** What no rule matches, most expensive first, and how to own it. */
export function Unowned({ costs, onAdd }: Props) {
  const unowned = unownedIn(costs);
  if (costs.total.jobs === 0) return null;
  if (unowned.length === 0)
    return (
      <Card withBorder p="md" fz="sm" c="dimmed">
        Nothing is unowned: rules match every job of the last {costs.period.days} days.
      </Card>
    );
  return (
    <SimpleGrid cols={{ base: 1, lg: unowned.length }} spacing="md">
      {unowned.map((each) => (
        <OfKind key={each.kind} unowned={each} days={costs.period.days} onAdd={onAdd} />
      ))}
    </SimpleGrid>
  );
}

type KindProps = Pick<Props, 'onAdd'> & { unowned: UnownedCosts; days: number };

function OfKind({ unowned, days, onAdd }: KindProps) {
  const { kind, cost, share_percent: percent, repositories, other_repositories: others } = unowned;
  const add = onAdd && ((repository: string) => onAdd({ kind, repository }));
  return (
    <Panel
      title={`No ${kinds[kind].toLowerCase()}`}
      aside={
        <Text size="sm">
          <Money amount={cost} />{' '}
          <Note span>
            {share(percent / 100)} of the last {days} days
          </Note>
        </Text>
      }
    >
      <Stack gap="xs">
        <DataTable
          label={`Repositories with no ${kinds[kind].toLowerCase()}`}
          minWidth={280}
          rows={repositories}
          keyOf={({ repository }) => repository}
          columns={columnsOf(repositories, add)}
          isStacked
        />
        <Group>
          <RowLink href={ownerAddress(kind, null)}>
            {others > 0 ? countOf(others, 'more repository', 'more repositories') : 'See what ran'}
          </RowLink>
        </Group>
      </Stack>
    </Panel>
  );
}

function columnsOf(rows: readonly Row[], add: ((repository: string) => void) | null): Column<Row>[] {
  const owner = sharedOwner(rows.map(({ repository }) => repository));
  return [
    {
      title: 'Repository',
      cell: ({ repository }) => (
        <RowLink href={repositoryAddress(repository)}>
          <RepositoryName name={repository} owner={owner} />
        </RowLink>
      ),
    },
    moneyColumn('Cost', ({ cost }) => cost, { isMain: true }),
    ...(add
      ? [
          {
            title: 'Actions',
            cell: ({ repository }: Row) => (
              <SmallButton aria-label={`Add rule for ${repository}`} onClick={() => add(repository)}>
                Add rule
              </SmallButton>
            ),
          },
        ]
      : []),
  ];
}
