import { Stack, Text } from '@mantine/core';
import { Dialog } from '../../../ui/Dialog.tsx';
import { count, countOf, longDay } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Money } from '../../../ui/Money.tsx';
import { Columns, keptNumber, WideTable } from '../../../ui/WideTable.tsx';
import { LinkedHead } from './LinkedHead.tsx';
import { useDay } from './queries.ts';

type Props = { day: string; onClose: () => void };

export function DayDialog({ day, onClose }: Props) {
  const query = useDay(day);
  return (
    <Dialog title={`Costs on ${longDay(day)}`} onClose={onClose}>
      <Loaded query={query} height={240}>
        {({ total_cost, jobs, billed_minutes, runs, workflows }) => (
          <Stack gap="sm">
            <Text size="sm">
              <Text span inherit fw={700}>
                <Money amount={total_cost} />
              </Text>{' '}
              for {countOf(jobs, 'job')} ({countOf(billed_minutes, 'billed minute')}) that completed on this
              day (UTC). {countOf(runs, 'run')} {runs === 1 ? 'was' : 'were'} created.
            </Text>
            {workflows.length > 0 && (
              <WideTable label="Workflows of the day" minWidth={420} maxHeight={420}>
                <Columns texts={['Workflow']} numbers={['Cost', 'Jobs', 'Minutes']} kept="Cost" />
                <tbody>
                  {workflows.map((workflow) => (
                    <tr key={workflow.workflow_id}>
                      <LinkedHead
                        href={`/workflows/${workflow.workflow_id}?completed_on=${day}`}
                        workflow={workflow.workflow_name}
                        repository={workflow.repo_name}
                      />
                      <td className={keptNumber}>
                        <Money amount={workflow.cost} />
                      </td>
                      <td className="number">{count(workflow.jobs)}</td>
                      <td className="number">{count(workflow.billed_minutes)}</td>
                    </tr>
                  ))}
                </tbody>
              </WideTable>
            )}
          </Stack>
        )}
      </Loaded>
    </Dialog>
  );
}
