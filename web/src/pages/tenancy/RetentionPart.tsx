import { NumberInput, Stack } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { organizationKey } from '../../api/queries.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { count, countOf, longDay, sentence } from '../../ui/figures.ts';
import { FormError } from '../../ui/FormError.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { SaveRow } from '../../ui/SaveRow.tsx';
import { errorOf, useChange } from '../../ui/useChange.ts';
import { retentionKey, retentionQuery, type Retention } from './queries.ts';

export function RetentionPart() {
  const retention = useQuery(retentionQuery);
  return (
    <Panel title="History">
      <Loaded query={retention} height={95}>
        {(data) => <RetentionForm key={String(data.run_retention_days)} retention={data} />}
      </Loaded>
    </Panel>
  );
}

function RetentionForm({ retention }: { retention: Retention }) {
  const { run_retention_days: own, max_retention_days: max } = retention;
  const [days, setDays] = useState<number | null>(own);
  const [asked, setAsked] = useState<Retention | null>(null);
  const save = useChange({
    act: () => api.PUT('/api/v1/organization', { body: { run_retention_days: days } }),
    done: 'History saved.',
    refresh: [organizationKey, retentionKey, ['session']],
    isErrorShown: true,
  });
  const look = useMutation({
    mutationFn: async (query: { days: number }) =>
      (await api.GET('/api/v1/retention', { params: { query } })).data!.data,
  });
  const submit = (): void => {
    save.reset();
    look.reset();
    if (days === null) return save.mutate(undefined);
    look.mutate(
      { days },
      { onSuccess: (found) => (found.runs_to_remove === 0 ? save.mutate(undefined) : setAsked(found)) },
    );
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
      {asked && (
        <ConfirmRemoval
          asked={asked}
          change={save}
          onConfirm={() => save.mutate(undefined, { onSettled: () => setAsked(null) })}
          onClose={() => setAsked(null)}
        />
      )}
    </form>
  );
}

type ConfirmProps = {
  /** The retention that the change would set, with the first day that it keeps. */
  asked: Retention;
  plan?: string;
  change: { isPending: boolean; mutate: (input: never) => void };
  onConfirm: () => void;
  onClose: () => void;
};

export function ConfirmRemoval({ asked, plan, change, onConfirm, onClose }: ConfirmProps) {
  const { first_kept_day: first, runs_to_remove: runs, retention_days: days } = asked;
  return (
    <Confirm
      title="Remove older runs?"
      label="Save and remove"
      change={change}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {plan !== undefined && `On the plan ${sentence(plan)}, runs are kept for ${countOf(days!, 'day')}. `}
      {countOf(runs, 'run')} from before {longDay(first!)} will be removed with all jobs within minutes, and
      older ones every day. You cannot undo this. Export them first to keep them.
    </Confirm>
  );
}

/** Null while no runs were removed. */
function progressOf({ details_from: first, removal }: Retention): string | null {
  if (removal?.error) return removal.error;
  if (removal && (removal.status === 'queued' || removal.status === 'running')) {
    const { done, total } = removal.progress;
    return `Removing runs: ${count(done)} of ${count(total ?? done)}.`;
  }
  return first === null ? null : `Runs from before ${longDay(first)} were removed.`;
}
