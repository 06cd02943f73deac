import { NumberInput, Stack } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { count, countOf, longDay } from '../../ui/figures.ts';
import { FormError } from '../../ui/FormError.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { SaveRow } from '../../ui/SaveRow.tsx';
import { errorOf, useChange } from '../../ui/useChange.ts';
import { organizationKey, retentionKey, retentionQuery, type Retention } from './queries.ts';

export function RetentionPart() {
  const retention = useQuery(retentionQuery);
  return (
    <Panel title="History">
      <Loaded query={retention} height={150}>
        {(data) => <RetentionForm key={String(data.run_retention_days)} retention={data} />}
      </Loaded>
    </Panel>
  );
}

function RetentionForm({ retention }: { retention: Retention }) {
  const { run_retention_days: own, max_retention_days: max } = retention;
  const [days, setDays] = useState<number | null>(own);
  const [runsToRemove, setRunsToRemove] = useState<number | null>(null);
  const save = useChange({
    act: async () => {
      await api.PUT('/api/v1/organization', { body: { run_retention_days: days } });
    },
    done: 'History saved.',
    refresh: [organizationKey, retentionKey, ['session']],
    isErrorShown: true,
  });
  const look = useMutation({
    mutationFn: async (asked: number) =>
      (await api.GET('/api/v1/retention', { params: { query: { days: asked } } })).data!.data.runs_to_remove,
  });
  const submit = (): void => {
    if (days === null) return save.mutate(undefined);
    look.mutate(days, {
      onSuccess: (runs) => (runs === 0 ? save.mutate(undefined) : setRunsToRemove(runs)),
    });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack>
        <NumberInput
          label="Keep runs and jobs for"
          description="90 days or more. Leave empty to keep them forever. Totals and trends always stay."
          placeholder="Forever"
          suffix=" days"
          styles={{ wrapper: { maxWidth: 220 } }}
          min={90}
          max={36_500}
          allowDecimal={false}
          clampBehavior="none"
          value={days ?? ''}
          onChange={(value) => setDays(typeof value === 'number' ? value : null)}
          error={errorOf(save.error, 'run_retention_days') ?? errorOf(look.error, 'days')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
        />
        <FormError error={save.error ?? look.error} fields={['run_retention_days', 'days']} />
        <SaveRow
          isDirty={days !== own}
          isBusy={save.isPending || look.isPending}
          onDiscard={() => {
            setDays(own);
            save.reset();
            look.reset();
          }}
        >
          {[
            max !== null && `This server keeps runs for at most ${countOf(max, 'day')}.`,
            progressOf(retention),
          ]
            .filter(Boolean)
            .join(' ')}
        </SaveRow>
      </Stack>
      {runsToRemove !== null && (
        <Confirm
          title="Remove older runs?"
          label="Save and remove"
          isBusy={save.isPending}
          onConfirm={() => save.mutate(undefined, { onSettled: () => setRunsToRemove(null) })}
          onClose={() => setRunsToRemove(null)}
        >
          {countOf(runsToRemove, 'run')} with all jobs will be removed within minutes, and older ones every
          day. You cannot undo this. Export them first to keep them.
        </Confirm>
      )}
    </form>
  );
}

/** Null while none was removed. */
function progressOf({ details_from: first, removal }: Retention): string | null {
  if (removal?.error) return removal.error;
  if (removal && (removal.status === 'queued' || removal.status === 'running')) {
    const { done, total } = removal.progress;
    return `Removing runs: ${count(done)} of ${count(total ?? done)}.`;
  }
  return first === null ? null : `Runs from before ${longDay(first)} were removed.`;
}
