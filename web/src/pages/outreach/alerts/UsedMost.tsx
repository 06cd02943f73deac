import { Grid, Stack, Text } from '@mantine/core';
import type { ExplainedTrigger } from '../../../parts/alerts/types.ts';
import { workflowColumn, workflowKey } from '../../../parts/workflows/NamedLink.tsx';
import { numberColumn, shownColumn } from '../../../ui/cells.tsx';
import { DataTable } from '../../../ui/DataTable.tsx';
import { longDay } from '../../../ui/figures.ts';
import { RowLink } from '../../../ui/text.tsx';
import { repositoryAddress } from '../../../ui/useAddress.ts';

type Props = { usage: NonNullable<ExplainedTrigger['included_usage']>; at: string };

/** Which repositories and workflows used most of the included usage, and when it is used up. */
export function UsedMost({ usage: { used_up_on: day, repositories, workflows }, at }: Props) {
  return (
    <Stack gap="sm">
      <Text size="sm">{usedUpInWords(day, at)}</Text>
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <DataTable
            label="Repository and share of the included usage"
            minWidth={0}
            rows={repositories}
            keyOf={({ repo_name: name }) => name}
            columns={[repositoryColumn, usageColumn]}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <DataTable
            label="Workflow and share of the included usage"
            minWidth={0}
            rows={workflows}
            keyOf={workflowKey}
            columns={[workflowColumn, usageColumn]}
          />
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

function usedUpInWords(day: string | null, at: string): string {
  if (day === null) return 'At the pace of that time, the included usage lasts to the end of the month.';
  if (day < at.slice(0, 10)) return `The included usage was used up on ${longDay(day)}.`;
  return `At the pace of that time, the included usage is used up on ${longDay(day)}.`;
}

const shares = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

const repositoryColumn = shownColumn(
  'Repository',
  ({ repo_name: name }: { repo_name: string }) => name,
  (name) => <RowLink href={repositoryAddress(name)}>{name}</RowLink>,
);

const usageColumn = numberColumn(
  'Included usage',
  ({ percent }: { percent: number }) => percent,
  (percent) => `${shares.format(percent)}%`,
);
