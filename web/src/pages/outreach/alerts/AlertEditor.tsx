import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useParams, useSearchParams } from 'wouter';
import { alertTypesQuery } from '../../../parts/alerts/queries.ts';
import { LeaveGuard } from '../../../ui/LeaveGuard.tsx';
import { isNotFound, Loaded } from '../../../ui/Loaded.tsx';
import { NotFound } from '../../../ui/Lost.tsx';
import { Empty, PageTitle } from '../../../ui/Panel.tsx';
import {
  type AlertFields,
  changedSettings,
  fieldsOf,
  newFields,
  scopeError,
  settingsOf,
  suggestedName,
  thresholdError,
  thresholdOf,
} from './alertFields.ts';
import { AlertForm } from './AlertForm.tsx';
import { AlertPreview } from './AlertPreview.tsx';
import { useAlert, useSaveAlert, useWhyNoChange } from './alertQueries.ts';

const allAlerts = { href: '/alerts', label: 'All alerts' };

export function Page() {
  const { id } = useParams<{ id?: string }>();
  const [params] = useSearchParams();
  const reason = useWhyNoChange();
  const types = useQuery(alertTypesQuery);
  if (reason !== null) return <NoChange id={id} reason={reason} />;
  if (id !== undefined) return <ExistingAlert key={id} id={id} />;
  return (
    <>
      <PageTitle title="New alert" back={allAlerts} />
      <Loaded query={types} height={560}>
        {() => <Editor id={undefined} saved={newFields(params)} />}
      </Loaded>
    </>
  );
}

function NoChange({ id, reason }: { id: string | undefined; reason: string }) {
  const back = id === undefined ? allAlerts : { href: `/alerts/${id}`, label: 'Alert' };
  return (
    <>
      <PageTitle title={id === undefined ? 'New alert' : 'Edit alert'} back={back} />
      <Empty title="No access">{reason}</Empty>
    </>
  );
}

function ExistingAlert({ id }: { id: string }) {
  const alert = useAlert(id, { isLive: false });
  if (isNotFound(alert.error)) return <NotFound what="alert" href="/alerts" list="alerts" />;
  return (
    <>
      <PageTitle title="Edit alert" back={{ href: `/alerts/${id}`, label: alert.data?.name ?? 'Alert' }} />
      <Loaded query={alert} height={560}>
        {(found) => <Editor id={id} saved={fieldsOf(found)} />}
      </Loaded>
    </>
  );
}

function Editor({ id, saved }: { id: string | undefined; saved: AlertFields }) {
  const [, navigate] = useLocation();
  const [initial] = useState(saved);
  const [fields, setFields] = useState(initial);
  const [isNamed, setIsNamed] = useState(initial.name !== '');
  const named = isNamed ? fields : { ...fields, name: suggestedName(fields) };
  const [errors, setErrors] = useState<Record<string, string>>({});
  const save = useSaveAlert(id);
  const change = (changes: Partial<AlertFields>) => {
    setFields((before) => ({ ...before, ...changes }));
    if (changes.name !== undefined) setIsNamed(true);
    setErrors({});
    save.reset();
  };
  const submit = () => {
    const threshold = thresholdOf(named);
    const found = missingIn(named);
    setErrors(found);
    if (threshold === null || Object.keys(found).length > 0) return;
    const settings = settingsOf(named, threshold);
    save.mutate(
      { settings, changes: changedSettings(initial, settings) },
      { onSuccess: (alert) => navigate(`/alerts/${alert.id}`, { replace: true }) },
    );
  };
  const isDirty = JSON.stringify(fields) !== JSON.stringify(initial);
  return (
    <>
      <AlertForm
        fields={named}
        onChange={change}
        onSave={submit}
        errors={errors}
        error={save.error}
        isBusy={save.isPending}
        isNew={id === undefined}
        cancelTo={id === undefined ? '/alerts' : `/alerts/${id}`}
        preview={
          <AlertPreview
            fields={fields}
            onThreshold={(threshold) => change({ threshold_amount: threshold })}
          />
        }
      />
      <LeaveGuard isDirty={isDirty && !save.isSuccess} />
    </>
  );
}

function missingIn(fields: AlertFields): Record<string, string> {
  const error = thresholdError(fields);
  const noScope = scopeError(fields);
  return {
    ...(fields.name.trim() === '' ? { name: 'Enter a name.' } : {}),
    ...(noScope === null ? {} : { scope: noScope }),
    ...(error === null ? {} : { threshold_amount: error }),
  };
}
