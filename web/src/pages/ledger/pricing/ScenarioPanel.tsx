import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Panel } from '../../../ui/Panel.tsx';
import { WhatIfPreview } from './WhatIfPreview.tsx';
import { feeInWords } from './words.ts';

/** Loads on demand, because it reprices every job. */
export function ScenarioPanel() {
  const [isShown, { open }] = useDisclosure();
  return (
    <Panel title="What if GitHub charged for self-hosted runners?">
      <Text size="sm">{feeInWords}</Text>
      {isShown ? (
        <WhatIfPreview proposal={{ scenario: 'self_hosted_fee' }} />
      ) : (
        <div>
          <Button variant="default" size="compact-sm" onClick={open}>
            Show the cost
          </Button>
        </div>
      )}
    </Panel>
  );
}
