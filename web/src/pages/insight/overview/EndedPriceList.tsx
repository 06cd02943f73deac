import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { repricesKey, type Reprice, afterPriceChange } from '../../../api/queries.ts';
import { useRefreshAtTheEnd } from '../../../parts/pricing/useRefreshAtTheEnd.ts';
import { countOf, dollars, longDay } from '../../../ui/figures.ts';
import { useWhyNot } from '../../../ui/rights.tsx';
import { doneInWords, isMoving } from '../../../ui/task.ts';
import { TaskBar } from '../../../ui/TaskBar.tsx';
import { InText, Money } from '../../../ui/text.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { repriceQuery, useOutlook, type EndedList } from './queries.ts';

/** The id of the reprice started here. It is in the query cache, so that it survives a visit to another page. */
const startedKey = ['price list switch'];

export function EndedPriceList() {
  const queryClient = useQueryClient();
  const { data: ended } = useOutlook();
  const { data: started } = useQuery<string | null>({
    queryKey: startedKey,
    queryFn: () => null,
    enabled: false,
    initialData: null,
    gcTime: Infinity,
  });
  const note = (id: string | null) => queryClient.setQueryData(startedKey, id);
  if (started) return <Switched id={started} onClose={() => note(null)} />;
  return ended && Math.abs(ended.difference) >= worthSaying ? <Ended list={ended} onSwitched={note} /> : null;
}

/** Dollars. For smaller differences, only the pricing page shows a notice. */
const worthSaying = 1;

function Ended({ list, onSwitched }: { list: EndedList; onSwitched: (id: string) => void }) {
  const queryClient = useQueryClient();
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  const change = useChange({
    act: async () => {
      const { data: reprice } = (await api.POST('/api/v1/pricing/switch')).data!;
      // Stored before the outlook reloads, because that removes this banner.
      queryClient.setQueryData(repriceQuery(reprice.id).queryKey, reprice);
      onSwitched(reprice.id);
    },
    refresh: [...afterPriceChange, repricesKey],
  });
  return (
    <Alert variant="outline" color="orange" title={`${list.book.name} has ended`}>
      <Group gap="xs md" justify="space-between" align="flex-end">
        <Text size="sm" flex="1 1 260px">
          Your jobs since {longDay(list.period.start)} cost <Money amount={list.cost_now} />. With “
          {list.next_book.name}”, they cost <Money amount={list.cost_then} />: <b>{differenceOf(list)}</b>.{' '}
          {reason === null ? (
            <>
              You can undo the switch in <PricingLink />.
            </>
          ) : (
            'An admin can switch to it.'
          )}
        </Text>
        {reason === null && (
          <Button size="compact-sm" loading={change.isPending} onClick={() => change.mutate(undefined)}>
            Switch and reprice
          </Button>
        )}
      </Group>
    </Alert>
  );
}

function differenceOf({ difference }: Pick<EndedList, 'difference'>): string {
  return `${dollars(Math.abs(difference))} ${difference < 0 ? 'less' : 'more'}`;
}

function Switched({ id, onClose }: { id: string; onClose: () => void }) {
  const { data: reprice, error } = useQuery(repriceQuery(id));
  useRefreshAtTheEnd(reprice && [reprice]);
  if (reprice && isMoving(reprice)) return <UnderWay reprice={reprice} />;
  const outcome = reprice ? outcomeOf(reprice) : error && { color: 'red', title: error.message };
  if (!outcome) return null;
  return (
    <Alert
      withCloseButton
      closeButtonLabel="Dismiss"
      variant="outline"
      color={outcome.color}
      title={outcome.title}
      onClose={onClose}
      role={outcome.color === 'red' ? 'alert' : 'status'}
    >
      <Text size="sm">
        {reprice?.error && `${reprice.error} `}
        See or undo the changes in <PricingLink />.
      </Text>
    </Alert>
  );
}

function outcomeOf(reprice: Reprice): { color: string; title: string } {
  const jobs = countOf(reprice.changed_jobs, 'job');
  if (reprice.status === 'failed')
    return { color: 'red', title: 'Repricing failed; the new price list stays in use' };
  if (reprice.status === 'cancelled')
    return {
      color: 'orange',
      title: `Repricing was canceled after ${jobs}; the new price list stays in use`,
    };
  if (reprice.changed_jobs === 0) return { color: 'green', title: 'Repriced: no job changed' };
  const cost = reprice.difference === 0 ? 'the same cost' : differenceOf(reprice);
  return { color: 'green', title: `Repriced ${jobs}: ${cost}` };
}

function UnderWay({ reprice }: { reprice: Reprice }) {
  return (
    <Alert variant="outline" color="blue" title={`Repricing jobs since ${longDay(reprice.from)}`}>
      <Stack gap={4}>
        <TaskBar task={reprice} done="repriced" />
        <Text size="sm">{doneInWords(reprice, 'job')}. New jobs already use the new prices.</Text>
      </Stack>
    </Alert>
  );
}

function PricingLink() {
  return <InText href="/settings/price-history">Settings, Prices</InText>;
}
