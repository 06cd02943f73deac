import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { Dialog } from '../../../ui/Dialog.tsx';
import { countOf } from '../../../ui/figures.ts';
import { Fields, formOf } from '../../../ui/Form.tsx';
import { FormError } from '../../../ui/FormError.tsx';
import { errorOf, useChange } from '../../../ui/useChange.ts';
import { eventTypesQuery, latestResendQuery, webhookKey, type ResendFilter } from './queries.ts';
import { ResendProgress } from './ResendProgress.tsx';
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
    count.reset();
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
  const count = useChange({ act: () => send(true), isErrorShown: true });
  const start = useChange({
    act: () => send(false),
    done: 'Resend started.',
    refresh: [webhookKey(webhookId)],
    isErrorShown: true,
  });
  const restart = () => {
    setHasStarted(false);
    count.reset();
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
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (count.data) start.mutate(undefined, { onSuccess: () => setHasStarted(true) });
            else count.mutate(undefined);
          }}
        >
          <Stack>
            <Filter values={values} onChange={change} error={count.error ?? start.error} />
            <FormError error={count.error ?? start.error} fields={['status', 'event', 'since']} />
            <Text role="status" mih={24} fw={600}>
              {count.data && `${countOf(count.data.total, 'delivery', 'deliveries')} would be resent.`}
            </Text>
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button
                type="submit"
                loading={count.isPending || start.isPending}
                disabled={count.data?.total === 0 || values.since === ''}
              >
                {count.data ? 'Resend' : 'Count deliveries'}
              </Button>
            </Group>
          </Stack>
        </form>
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
            <Button
              key={label}
              size="compact-sm"
              variant="default"
              onClick={() => onChange({ since: ago(hours) })}
            >
              Last {label}
            </Button>
          ))}
        </Group>
      </Stack>
    </>
  );
}
