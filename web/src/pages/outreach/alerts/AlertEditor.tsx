import { Grid } from '@mantine/core';
import { useState } from 'react';
import { useLocation, useParams, useSearchParams } from 'wouter';
import { isNotFound } from '../../../shown/Failed.tsx';
import { Loaded } from '../../../shown/Loaded.tsx';
import { NoSuch } from '../../../shown/NoSuch.tsx';
import { PageTitle } from '../../../shown/PageTitle.tsx';
import { Panel } from '../../../shown/Panel.tsx';
import { RightsNote } from '../../../shown/rights.tsx';
import {
  changedSettings,
  fieldsOf,
  newFields,
  thresholdFault,
  thresholdOf,
  type AlertFields,
} from './alertFields.ts';
import { AlertForm } from './AlertForm.tsx';
import { AlertPreview } from './AlertPreview.tsx';
import { useAlert, useSaveAlert, useWhyNoChange } from './alertQueries.ts';
import { LeaveGuard } from './LeaveGuard.tsx';
import { Warnings } from './Warnings.tsx';

/** Creates an alert, or changes the one in the address. */
export function Page() {
  const { id } = useParams<{ id?: string }>();
  const [params] = useSearchParams();
  if (id !== undefined) return <ExistingAlert key={id} id={id} />;
  return (
    <>
      <PageTitle title="New alert" />
      <Editor id={undefined} saved={newFields(params)} warnings={[]} />
    </>
  );
}

function ExistingAlert({ id }: { id: string }) {
  const alert = useAlert(id, { isLive: false });
  if (isNotFound(alert.error)) return <NoSuch what="alert" href="/alerts" list="alerts" />;
  return (
    <>
      <PageTitle title="Edit alert" about={alert.data?.name} />
      <Loaded query={alert} height={560}>
        {(found) => <Editor id={id} saved={fieldsOf(found)} warnings={found.warnings} />}
      </Loaded>
    </>
  );
}

type EditorProps = { id: string | undefined; saved: AlertFields; warnings: string[] };

function Editor({ id, saved, warnings }: EditorProps) {
  const [, navigate] = useLocation();
  const [initial] = useState(saved);
  const [fields, setFields] = useState(initial);
  const [faults, setFaults] = useState<Record<string, string>>({});
  const save = useSaveAlert(id);
  const reason = useWhyNoChange();
  const change = (changes: Partial<AlertFields>) => {
    setFields((before) => ({ ...before, ...changes }));
    setFaults({});
    save.reset();
  };
  const submit = () => {
    const threshold = thresholdOf(fields);
    const found = missingIn(fields);
    setFaults(found);
    if (threshold === null || Object.keys(found).length > 0) return;
    const settings = { ...fields, threshold_amount: threshold };
    save.mutate(
      { settings, changes: changedSettings(initial, settings) },
      { onSuccess: (alert) => navigate(`/alerts/${alert.id}`, { replace: true }) },
    );
  };
  const isDirty = JSON.stringify(fields) !== JSON.stringify(initial);
  return (
    <>
      <RightsNote reason={reason} />
      {fields.notify_email && <Warnings warnings={warnings} />}
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 5, xl: 4 }}>
          <Panel title="Settings">
            <AlertForm
              fields={fields}
              onChange={change}
              onSave={submit}
              faults={faults}
              error={save.error}
              isBusy={save.isPending}
              mayChange={reason === null}
              isNew={id === undefined}
              cancelTo={id === undefined ? '/alerts' : `/alerts/${id}`}
            />
          </Panel>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7, xl: 8 }}>
          <AlertPreview
            fields={fields}
            onThreshold={(threshold) => change({ threshold_amount: threshold })}
          />
        </Grid.Col>
      </Grid>
      <LeaveGuard isDirty={isDirty && !save.isSuccess} />
    </>
  );
}

function missingIn(fields: AlertFields): Record<string, string> {
  const fault = thresholdFault(fields);
  return {
    ...(fields.name.trim() === '' ? { name: 'Give it a name.' } : {}),
    ...(fault === null ? {} : { threshold_amount: fault }),
  };
}
