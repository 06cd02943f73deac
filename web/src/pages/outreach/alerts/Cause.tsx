import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { alertType } from '../../../alerts/alertTypes.ts';
import type { ExplainedTrigger } from '../../../alerts/types.ts';
import { changeSteps } from '../../../analysis/changeSteps.ts';
import { datesTitle } from '../../../analysis/ranges.ts';
import { Waterfall } from '../../../charts/Waterfall.tsx';
import { comparedWithInWords, countedDays, exploreAddress, shownOf } from './explained.ts';

export function Cause({ trigger }: { trigger: ExplainedTrigger }) {
  const { all } = shownOf(trigger.explanation, 0);
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {comparedWithInWords(trigger)}
      </Text>
      <Waterfall
        label="The parts of the change"
        before={{
          label: alertType(trigger.alert_type).baseline_title,
          amount: all.baseline,
        }}
        steps={changeSteps({ total: all })}
        now={{ label: datesTitle(countedDays(trigger)), amount: all.observed }}
      />
      <Anchor component={Link} href={exploreAddress(trigger)} size="sm">
        Explore these days
      </Anchor>
    </Stack>
  );
}
