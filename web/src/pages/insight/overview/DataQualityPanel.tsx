import { Alert, Anchor, List, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { count, countOf, shortDay } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { When } from '../../../ui/When.tsx';
import { breaking, Columns, WideTable } from '../../../ui/WideTable.tsx';
import { issuesOf } from './dataQuality.ts';
import { useDataQuality, type DataQuality } from './queries.ts';

export function DataQualityPanel() {
  const query = useDataQuality();
  return (
    <Panel title="Data quality">
      <Loaded query={query} height={80}>
        {(quality) => (
          <Stack gap="md">
            {quality.unpriced.minutes > 0 && <Unpriced unpriced={quality.unpriced} />}
            <Issues quality={quality} />
            <Text size="sm" c="dimmed">
              Last report from CI: <When at={quality.last_event_at} />.{' '}
              <Anchor component={Link} href="/backfills" inherit underline="always">
                Completeness
              </Anchor>
            </Text>
          </Stack>
        )}
      </Loaded>
    </Panel>
  );
}

function Issues({ quality }: { quality: DataQuality }) {
  const issues = issuesOf(quality);
  if (issues.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {quality.unpriced.minutes > 0
          ? 'No other issues.'
          : 'All minutes have a price, all runs have completed, and no day is missing.'}
      </Text>
    );
  return (
    <List size="sm" spacing="xs">
      {issues.map(({ what, advice, link }) => (
        <List.Item key={what}>
          {what}.{' '}
          <Anchor component={Link} href={link.href} inherit underline="always">
            {link.label}
          </Anchor>{' '}
          <Text span inherit c="dimmed">
            {advice}
          </Text>
        </List.Item>
      ))}
    </List>
  );
}

function Unpriced({ unpriced: { jobs, minutes, runners } }: Pick<DataQuality, 'unpriced'>) {
  return (
    <Stack gap="xs">
      <Alert
        variant="outline"
        color="orange"
        styles={{ title: { color: 'var(--mantine-color-text)' } }}
        title={`${countOf(jobs, 'job')} (${count(minutes)} min) ${jobs === 1 ? 'has no price and counts' : 'have no price and count'} as $0.`}
      >
        <Anchor component={Link} href="/settings/pricing" inherit underline="always">
          Set a price
        </Anchor>
      </Alert>
      <WideTable label="Unpriced runners" minWidth={280} maxHeight={280}>
        <Columns texts={['Labels']} numbers={['Minutes', 'Last seen']} />
        <tbody>
          {runners.map((runner) => (
            <tr key={JSON.stringify([runner.labels, runner.runner_group])}>
              <th scope="row" style={breaking}>
                {runner.labels.join(', ') || 'no labels'}
                {runner.runner_group && ` (group ${runner.runner_group})`}
              </th>
              <td className="number">{count(runner.minutes)}</td>
              <td className="number">{shortDay(runner.last_seen)}</td>
            </tr>
          ))}
        </tbody>
      </WideTable>
    </Stack>
  );
}
