import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { rangeOf } from '../../../analysis/ranges.ts';
import { signed } from '../../../charts/Waterfall.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { count, countOf, longDay } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Money } from '../../../ui/Money.tsx';
import { Columns, keptNumber, WideTable } from '../../../ui/WideTable.tsx';
import { LinkedHead } from './LinkedHead.tsx';
import { namesOf, useDay, type View } from './queries.ts';

type Props = { view: View; day: string; onClose: () => void };

/** What a day cost, and why it differs from the same weekday a week before. */
export function DayDialog({ view, day, onClose }: Props) {
  const { question, today, searchOf } = view;
  const range = rangeOf({ from: day, to: day }, today);
  return (
    <Dialog title={`Costs on ${longDay(day)}`} onClose={onClose}>
      <Loaded query={useDay(view, day)} height={240}>
        {({ total, sentence, groups }) => (
          <Stack gap="sm">
            <Text size="sm">
              <Text span inherit fw={700}>
                <Money amount={total.value} />
              </Text>{' '}
              for {countOf(total.jobs, 'job')} ({countOf(total.minutes, 'billed minute')}) that completed on
              this day (UTC).
            </Text>
            {total.previous_value > 0 && <Text size="sm">{sentence}</Text>}
            {total.jobs > 0 && (
              <WideTable label="Workflows of the day" minWidth={420} maxHeight={360}>
                <Columns texts={['Workflow']} numbers={['Cost', 'Change', 'Jobs', 'Minutes']} kept="Cost" />
                <tbody>
                  {groups
                    .filter(({ jobs }) => jobs > 0)
                    .toSorted((a, b) => b.value - a.value)
                    .map(({ by: [part], value, change, jobs, minutes }) => (
                      <tr key={part?.value}>
                        <LinkedHead
                          href={`/workflows/${part?.value}?completed_on=${day}`}
                          {...namesOf(part?.name ?? '')}
                        />
                        <td className={keptNumber}>
                          <Money amount={value} />
                        </td>
                        <td className="number">{change === 0 ? '–' : signed(change)}</td>
                        <td className="number">{count(jobs)}</td>
                        <td className="number">{count(minutes)}</td>
                      </tr>
                    ))}
                </tbody>
              </WideTable>
            )}
            <Anchor
              component={Link}
              href={`/explore${searchOf({ ...question, range, groupBy: ['workflow'] }, new URLSearchParams())}`}
              size="sm"
            >
              Explore this day
            </Anchor>
          </Stack>
        )}
      </Loaded>
    </Dialog>
  );
}
