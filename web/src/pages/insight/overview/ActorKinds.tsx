import { Group, Skeleton, Text } from '@mantine/core';
import { useCosts } from '../../../analysis/queries.ts';
import { queryOf, narrowed } from '../../../analysis/question.ts';
import { metrics, valueTitle } from '../../../analysis/words.ts';
import type { View } from '../../../parts/costs/costView.ts';
import { share } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { InText, Note } from '../../../ui/text.tsx';

const title = 'Agents, bots, people';
/** Of one line, or two on phones: what is below must not move. */
const height = { base: 48, sm: 22 };

/** How much of the cost each kind of actor causes. */
export function ActorKinds({ view: { question, today, searchOf } }: { view: View }) {
  const asked = { ...question, groupBy: ['actor_kind'] };
  const costs = useCosts(queryOf(asked, today));
  return (
    <Panel title={title} more={{ href: `/explore${searchOf(asked)}`, label: 'In Explore' }}>
      <Loaded query={costs} height={48} waiting={<Skeleton h={height} aria-busy="true" />}>
        {({ groups, metric }) => (
          <Group gap="4px 16px" mih={height} align="start">
            {groups.map(({ by: [kind], value, share_percent: percent, narrow }) => (
              <Text key={kind?.value} size="sm">
                <InText href={`/explore${searchOf({ ...narrowed(question, narrow), groupBy: ['actor'] })}`}>
                  {kind?.value ? valueTitle('actor_kind', kind.value) : 'No actor'}
                </InText>{' '}
                {metrics[metric].amount(value)} <Note span>({share(percent / 100)})</Note>
              </Text>
            ))}
          </Group>
        )}
      </Loaded>
    </Panel>
  );
}
