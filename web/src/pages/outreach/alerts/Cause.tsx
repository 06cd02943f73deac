import { Stack } from '@mantine/core';
import { alertType } from '../../../alerts/alertTypes.ts';
import type { ExplainedTrigger } from '../../../alerts/types.ts';
import { changeSteps } from '../../../analysis/changeSteps.ts';
import { datesTitle } from '../../../analysis/ranges.ts';
import { Waterfall } from '../../../charts/Waterfall.tsx';
import { Note } from '../../../ui/Note.tsx';
import { TextLink } from '../../../ui/TextLink.tsx';
import { comparedWithInWords, countedDays, exploreAddress, shownOf } from './explained.ts';

export function Cause({ trigger }: { trigger: ExplainedTrigger }) {
  const { all } = shownOf(trigger.explanation, 0);
  return (
    <Stack gap="xs">
      <Note>{comparedWithInWords(trigger)}</Note>
      <Waterfall
        label="The parts of the change"
        before={{
          label: alertType(trigger.alert_type).baseline_title,
          amount: all.baseline,
        }}
        steps={changeSteps({ total: all })}
        now={{ label: datesTitle(countedDays(trigger)), amount: all.observed }}
      />
      <TextLink href={exploreAddress(trigger)} size="sm">
        Explore these days
      </TextLink>
    </Stack>
  );
}
