import { Text } from '@mantine/core';
import { Waterfall } from '../../../charts/Waterfall.tsx';
import { Panel } from '../../../ui/Panel.tsx';

const steps = [
  { key: 'public', label: 'Public repository', amount: -640 },
  { key: 'included', label: 'Included minutes', amount: -400 },
  { key: 'discount', label: 'Other discount', amount: -190 },
  { key: 'unpriced', label: 'Unpriced', amount: 85 },
].map((step) => ({ ...step, about: '' }));

export function Example() {
  return (
    <Panel
      title="What you will see"
      aside={
        <Text size="sm" c="dimmed">
          Example
        </Text>
      }
    >
      <Text size="sm" maw={720}>
        For each month, the way from what Runcost counted to what GitHub billed, and what did not match by
        repository, SKU and day.
      </Text>
      <Waterfall
        label="Example of a comparison"
        before={{ label: 'List cost', amount: 4_210 }}
        steps={steps}
        now={{ label: 'Billed', amount: 3_065 }}
      />
    </Panel>
  );
}
