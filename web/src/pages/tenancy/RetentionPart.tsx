import { NumberInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { organizationKey } from '../../api/queries.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { count, countOf, longDay, sentence } from '../../ui/figures.ts';
import { below, PageForm } from '../../ui/Form.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { retentionKey, retentionQuery, type Retention } from './queries.ts';

export function RetentionPart() {
  const retention = useQuery(retentionQuery);
  return (
    <Panel title="History">
      <Loaded query={retention} height={95}>
        {(data) => <RetentionForm retention={data} />}
      </Loaded>
    </Panel>
  );
}

function RetentionForm({ retention }: { retention: Retention }) {
  const { run_retention_days: days, max_retention_days: max } = retention;
  return (
    <PageForm
      initial={{ run_retention_days: days }}
      fields={({ input }) => [<DaysField {...input('run_retention_days', 'days')} />]}
      check={async ({ run_retention_days: asked }) => {
        if (asked === null) return null;
        const params = { query: { days: asked } };
        const found = (await api.GET('/api/v1/retention', { params })).data!.data;
        return found.runs_to_remove === 0 ? null : found;
      }}
      confirm={(found, save, onClose) => <ConfirmRemoval asked={found} change={save} onClose={onClose} />}
      act={(body) => api.PUT('/api/v1/organization', { body })}
      done="History saved."
      refresh={[organizationKey, retentionKey, ['session']]}
      note={[
        max !== null && `This server keeps runs for at most ${countOf(max, 'day')}.`,
        progressOf(retention),
      ]
        .filter(Boolean)
        .join(' ')}
    />
  );
}

type DaysProps = { value: number | null; onChange: (days: number | null) => void; error: string | null };

function DaysField({ value, onChange, error }: DaysProps) {
  return (
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
      value={value ?? ''}
      onChange={(typed) => onChange(typeof typed === 'number' ? typed : null)}
      error={error}
      {...below}
    />
  );
}

type ConfirmProps = {
  /** The retention that the change would set, with the first day that it keeps. */
  asked: Retention;
  plan?: string;
  change: { isPending: boolean; mutate: () => void };
  onClose: () => void;
};

export function ConfirmRemoval({ asked, plan, change, onClose }: ConfirmProps) {
  const { first_kept_day: first, runs_to_remove: runs, retention_days: days } = asked;
  return (
    <Confirm title="Remove older runs?" label="Save and remove" change={change} onClose={onClose}>
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
