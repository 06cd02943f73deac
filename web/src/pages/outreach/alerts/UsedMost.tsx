import { Grid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ExplainedTrigger } from '../../../parts/alerts/types.ts';
import { longDay } from '../../../ui/figures.ts';
import { Note, TextLink } from '../../../ui/text.tsx';
import { repositoryAddress } from '../../../ui/useAddress.ts';

type Props = { usage: NonNullable<ExplainedTrigger['included_usage']>; at: string };

/** Which repositories and workflows used most of the included usage, and when it is used up. */
export function UsedMost({ usage: { used_up_on: day, repositories, workflows }, at }: Props) {
  return (
    <Stack gap="sm">
      <Text size="sm">{usedUpInWords(day, at)}</Text>
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Shares
            title="Repository"
            rows={repositories.map(({ repo_name: name, percent }) => ({
              key: name,
              percent,
              name: (
                <TextLink href={repositoryAddress(name)} inherit>
                  {name}
                </TextLink>
              ),
            }))}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Shares
            title="Workflow"
            rows={workflows.map(
              ({ workflow_id: id, workflow_name: name, repo_name: repository, percent }) => ({
                key: id,
                percent,
                name: (
                  <>
                    <TextLink href={`/workflows/${id}`} inherit>
                      {name}
                    </TextLink>
                    <Note size="xs" fw={400}>
                      {repository}
                    </Note>
                  </>
                ),
              }),
            )}
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

function Shares({
  title,
  rows,
}: {
  title: string;
  rows: { key: string; name: ReactNode; percent: number }[];
}) {
  return (
    <table aria-label={`${title} and share of the included usage`}>
      <thead>
        <tr>
          <th scope="col">{title}</th>
          <th scope="col" className="number">
            Included usage
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, name, percent }) => (
          <tr key={key}>
            <th scope="row" style={{ overflowWrap: 'anywhere' }}>
              {name}
            </th>
            <td className="number">{shares.format(percent)}%</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
