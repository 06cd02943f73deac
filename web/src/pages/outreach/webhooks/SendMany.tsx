import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { Dialog } from '../../../ui/Dialog.tsx';
import { count, countOf } from '../../../ui/figures.ts';
import { Fields, formOf } from '../../../ui/Form.tsx';
import { FormError } from '../../../ui/FormError.tsx';
import { PlainForm } from '../../../ui/PlainForm.tsx';
import { SmallButton } from '../../../ui/rights.tsx';
import { Note, StatusBadge, When } from '../../../ui/text.tsx';
import { errorOf, useChange } from '../../../ui/useChange.ts';
import { eventTypesQuery, latestResendQuery, type Resend, type ResendFilter, webhookKey } from './queries.ts';
import { deliveryStatuses } from './words.ts';

type Values = {
  status: NonNullable<ResendFilter['status']>;
  event: NonNullable<ResendFilter['event']> | null;
  since: string;
};

/** UTC in the format of a datetime-local input: `2026-03-18T13:05`. */
const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString().slice(0, 16);
const spans = [
  ['hour', 1],
  ['24 hours', 24],
  ['7 days', 168],
  ['30 days', 720],
] as const;

type Props = { webhookId: string; onClose: () => void };

export function SendMany({ webhookId, onClose }: Props) {
  const [values, setValues] = useState<Values>({ status: 'failed', event: null, since: ago(24) });
  const latest = useQuery(latestResendQuery(webhookId));
  const [hasStarted, setHasStarted] = useState(false);
  const change = (part: Partial<Values>) => {
    setValues({ ...values, ...part });
    counting.reset();
  };
  const send = async (isDryRun: boolean) => {
    const { status, event, since } = values;
    const body = {
      status,
      since: new Date(`${since}Z`).toISOString(),
      dry_run: isDryRun,
      ...(event && { event }),
    };
    const params = { path: { id: webhookId } };
    return (await api.POST('/api/v1/webhooks/{id}/resends', { params, body })).data!.data;
  };
  const counting = useChange({ act: () => send(true), isErrorShown: true });
  const start = useChange({
    act: () => send(false),
    done: 'Resend started.',
    refresh: [webhookKey(webhookId)],
    isErrorShown: true,
  });
  const restart = () => {
    setHasStarted(false);
    counting.reset();
  };
  const isRunning = latest.data?.status === 'running';
  const shownResend = latest.data && (isRunning || hasStarted) ? latest.data : null;
  return (
    <Dialog onClose={onClose} title="Resend many deliveries">
      {shownResend ? (
        <Stack>
          <ResendProgress webhookId={webhookId} resend={shownResend} reason={null} />
          <Group justify="flex-end">
            {!isRunning && (
              <Button variant="default" onClick={restart}>
                Resend others
              </Button>
            )}
            <Button onClick={onClose}>Close</Button>
          </Group>
        </Stack>
      ) : (
        <PlainForm
          onSubmit={() => {
            if (counting.data) start.mutate(undefined, { onSuccess: () => setHasStarted(true) });
            else counting.mutate(undefined);
          }}
        >
          <Stack>
            <Filter values={values} onChange={change} error={counting.error ?? start.error} />
            <FormError error={counting.error ?? start.error} fields={['status', 'event', 'since']} />
            <Text role="status" mih={24} fw={600}>
              {counting.data && `${countOf(counting.data.total, 'delivery', 'deliveries')} would be resent.`}
            </Text>
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button
                type="submit"
                loading={counting.isPending || start.isPending}
                disabled={counting.data?.total === 0 || values.since === ''}
              >
                {counting.data ? 'Resend' : 'Count deliveries'}
              </Button>
            </Group>
          </Stack>
        </PlainForm>
      )}
    </Dialog>
  );
}

type FilterProps = { values: Values; onChange: (part: Partial<Values>) => void; error: Error | null };

function Filter({ values, onChange, error }: FilterProps) {
  const { data: types = [] } = useQuery(eventTypesQuery);
  const form = formOf(values, onChange, (name) => errorOf(error, name));
  return (
    <>
      <Fields
        form={form}
        list={[
          {
            name: 'status',
            kind: 'choice',
            label: 'Status',
            options: deliveryStatuses.map(([value, label]) => ({ value, label })),
          },
          {
            name: 'event',
            kind: 'choice',
            label: 'Event',
            none: 'All events',
            options: types.map(({ name }) => name),
          },
        ]}
      />
      <Stack gap="xs">
        <Fields
          form={form}
          list={[
            {
              name: 'since',
              type: 'datetime-local',
              label: 'Created since (UTC)',
              required: true,
              max: ago(0),
            },
          ]}
        />
        <Group gap="xs">
          {spans.map(([label, hours]) => (
            <SmallButton key={label} onClick={() => onChange({ since: ago(hours) })}>
              Last {label}
            </SmallButton>
          ))}
        </Group>
      </Stack>
    </>
  );
}

type ProgressProps = { webhookId: string; resend: Resend; reason: string | null };

export function ResendProgress({ webhookId, resend, reason }: ProgressProps) {
  const cancel = useChange({
    act: async () => {
      const path = { id: webhookId, resend_id: resend.id };
      await api.POST('/api/v1/webhooks/{id}/resends/{resend_id}/cancel', { params: { path } });
    },
    done: 'Canceled. Deliveries already queued are still sent.',
    refresh: [webhookKey(webhookId)],
  });
  const { resent, total, filter } = resend;
  const percent = total === 0 ? 100 : (100 * resent) / total;
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <StatusBadge status={resend.status} />
          <Text role="status" style={{ fontVariantNumeric: 'tabular-nums' }}>
            {count(resent)} of {count(total)} queued
          </Text>
        </Group>
        {resend.status === 'running' && (
          <SmallButton reason={reason} loading={cancel.isPending} onClick={() => cancel.mutate(undefined)}>
            Cancel the rest
          </SmallButton>
        )}
      </Group>
      <Progress value={percent} aria-label={`${count(resent)} of ${count(total)}`} />
      <Note>
        Deliveries with status {filter.status}
        {filter.event && `, of ${filter.event}`}, created from <When at={filter.since} full /> to{' '}
        <When at={filter.until} full />
      </Note>
    </Stack>
  );
}
