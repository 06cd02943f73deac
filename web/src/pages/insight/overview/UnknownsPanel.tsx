import { Alert, Anchor, List, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { count, countOf, shortDay } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { When } from '../../../ui/When.tsx';
import { breaking, Columns, WideTable } from '../../../ui/WideTable.tsx';
import { useUnknowns, type Unknowns } from './queries.ts';
import { doubtsOf } from './unknownsInWords.ts';

/** What the sums leave out or may have wrong. */
export function UnknownsPanel() {
  const unknowns = useUnknowns();
  return (
    <Panel title="What is not known">
      <Loaded query={unknowns} height={80}>
        {(known) => (
          <Stack gap="md">
            {known.unpriced.minutes > 0 && <Unpriced unpriced={known.unpriced} />}
            <Doubts unknowns={known} />
            <Text size="sm" c="dimmed">
              Latest report from CI: <When at={known.last_event_at} />.{' '}
              <Anchor component={Link} href="/backfills" inherit underline="always">
                How complete the deliveries were
              </Anchor>
            </Text>
          </Stack>
        )}
      </Loaded>
    </Panel>
  );
}

function Doubts({ unknowns }: { unknowns: Unknowns }) {
  const doubts = doubtsOf(unknowns);
  if (doubts.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {unknowns.unpriced.minutes > 0
          ? 'Nothing else is known to be missing.'
          : 'All minutes have a price, all runs have ended, and no day is missing.'}
      </Text>
    );
  return (
    <List size="sm" spacing="xs">
      {doubts.map(({ what, advice, link }) => (
        <List.Item key={what}>
          {what}.{' '}
          <Text span inherit c="dimmed">
            {advice}
          </Text>{' '}
          <Anchor component={Link} href={link.href} inherit underline="always">
            {link.label}
          </Anchor>
        </List.Item>
      ))}
    </List>
  );
}

function Unpriced({ unpriced: { jobs, minutes, runners } }: Pick<Unknowns, 'unpriced'>) {
  return (
    <Stack gap="xs">
      <Alert
        variant="outline"
        color="orange"
        styles={{ title: { color: 'var(--mantine-color-text)' } }}
        title={`${countOf(minutes, 'minute')} of ${countOf(jobs, 'job')} have no price`}
      >
        They count as $0, so the costs here are too low by what they are worth. Say what they are in{' '}
        <Anchor component={Link} href="/settings/pricing" inherit underline="always">
          Settings, Pricing
        </Anchor>
        .
      </Alert>
      <WideTable label="Runners without a price" minWidth={280} maxHeight={280}>
        <Columns texts={['Labels']} numbers={['Minutes', 'Last seen']} />
        <tbody>
          {runners.map((runner) => (
            <tr key={JSON.stringify([runner.labels, runner.runner_group])}>
              <th scope="row" style={breaking}>
                {runner.labels.join(', ') || 'no label'}
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
