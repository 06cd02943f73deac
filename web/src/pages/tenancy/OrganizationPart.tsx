import { SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, type UseMutationResult } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { clockIn, zoneName } from '../../api/calendar.ts';
import { api } from '../../api/client.ts';
import { organizationKey, organizationQuery, type Organization } from '../../api/queries.ts';
import { Choice } from '../../ui/Choice.tsx';
import { CopyField } from '../../ui/CopyField.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { countOf } from '../../ui/figures.ts';
import { FormError } from '../../ui/FormError.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { RightsNote, useWhyNot } from '../../ui/rights.tsx';
import { SaveRow } from '../../ui/SaveRow.tsx';
import { errorOf, useChange } from '../../ui/useChange.ts';
import { When } from '../../ui/When.tsx';
import { DeleteOrganization } from './DeleteOrganization.tsx';
import { retentionKey, retentionQuery, type Retention } from './queries.ts';
import { ConfirmRemoval, RetentionPart } from './RetentionPart.tsx';

const plans = [
  { value: 'free', label: 'Free', about: '60 API requests per minute and token; pages look back 30 days.' },
  { value: 'pro', label: 'Pro', about: '300 API requests per minute and token; pages look back 365 days.' },
  { value: 'team', label: 'Team', about: '600 API requests per minute and token; pages look back 365 days.' },
] as const;

export function OrganizationPart() {
  const organization = useQuery(organizationQuery);
  const whyNot = useWhyNot();
  const reason = whyNot({ role: 'admin', scope: 'admin' });
  if (reason !== null) {
    return (
      <>
        <RightsNote reason={reason} />
        <Panel title="Name, plan and times">
          <Loaded query={organization} height={240}>
            {(data) => <OrganizationFacts organization={data} />}
          </Loaded>
        </Panel>
      </>
    );
  }
  return (
    <>
      <Panel title="Name and plan">
        <Loaded query={organization} height={335}>
          {(data) => <OrganizationForm key={JSON.stringify(namesOf(data))} organization={data} />}
        </Loaded>
      </Panel>
      <Panel title="Times and periods">
        <Loaded query={organization} height={220}>
          {(data) => <CalendarForm key={JSON.stringify(calendarOf(data))} organization={data} />}
        </Loaded>
      </Panel>
      {organization.data && (
        <>
          <RetentionPart />
          {whyNot({ role: 'owner', scope: 'admin' }) === null && (
            <DeleteOrganization name={organization.data.name} />
          )}
        </>
      )}
    </>
  );
}

// Each form resets only when its own values change, so that saving one keeps what was typed into another.
const namesOf = ({ name, login, plan }: Organization) => [name, login, plan];
const calendarOf = ({ time_zone: zone, fiscal_year_start_month: month, week_start: day }: Organization) => [
  zone,
  month,
  day,
];

function OrganizationFacts({ organization }: { organization: Organization }) {
  const retention = useQuery(retentionQuery).data;
  const labelOf = (options: readonly { value: string; label: string }[], value: string) =>
    options.find((each) => each.value === value)?.label ?? value;
  return (
    <Facts
      facts={[
        ['Name', organization.name],
        ['Login', organization.login ?? '–'],
        ['Plan', labelOf(plans, organization.plan)],
        ['Time zone', organization.time_zone],
        ['Fiscal year starts in', labelOf(months, String(organization.fiscal_year_start_month))],
        ['Week starts on', labelOf(weekStarts, organization.week_start)],
        ['Runs and jobs are kept', retention && keptFor(retention.retention_days)],
        ['Created', <When key="at" at={organization.created_at} />],
        ['ID', organization.org_id],
      ]}
    />
  );
}

const keptFor = (days: number | null) => (days === null ? 'Forever' : `For ${countOf(days, 'day')}`);

function OrganizationForm({ organization }: { organization: Organization }) {
  const [name, setName] = useState(organization.name);
  const [login, setLogin] = useState(organization.login ?? '');
  const [plan, setPlan] = useState(organization.plan);
  const isDirty =
    JSON.stringify([name, login.trim() || null, plan]) !== JSON.stringify(namesOf(organization));
  const planReason = useWhyNot()({ role: 'owner', scope: 'admin' });
  const change = useChange({
    act: async () => {
      const newLogin = login.trim() || null;
      const body = {
        ...(name !== organization.name && { name }),
        ...(newLogin !== organization.login && { login: newLogin }),
        ...(plan !== organization.plan && { plan }),
      };
      await api.PUT('/api/v1/organization', { body });
    },
    done: 'Organization saved.',
    refresh: [organizationKey, retentionKey, ['session']],
    isErrorShown: true,
  });
  const question = usePlanQuestion(organization.plan, plan, change);
  const discard = () => {
    setName(organization.name);
    setLogin(organization.login ?? '');
    setPlan(organization.plan);
    question.reset();
  };
  return (
    <form onSubmit={question.submit}>
      <Stack>
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <TextInput
            label="Name"
            required
            maxLength={255}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errorOf(change.error, 'name')}
          />
          <TextInput
            label="Login"
            description="The name at your provider, such as acme in github.com/acme."
            maxLength={255}
            value={login}
            onChange={(event) => setLogin(event.currentTarget.value)}
            error={errorOf(change.error, 'login')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
          />
          <Choice
            label="Plan"
            description={planReason ?? plans.find(({ value }) => value === plan)?.about}
            options={plans.map(({ value, label }) => ({ value, label }))}
            disabled={planReason !== null}
            value={plan}
            onChange={setPlan}
            error={errorOf(change.error, 'plan')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
          />
          <CopyField
            label="ID"
            what="the organization ID"
            value={organization.org_id}
            description={
              <>
                Created <When at={organization.created_at} />. Use this ID in the API and on the command line.
              </>
            }
          />
        </SimpleGrid>
        <FormError error={change.error ?? question.error} fields={['name', 'login', 'plan']} />
        <SaveRow isDirty={isDirty} isBusy={question.isBusy} onDiscard={discard} />
      </Stack>
      {question.dialog}
    </form>
  );
}

/** Asks for confirmation if the new plan would remove runs. */
function usePlanQuestion(
  current: Organization['plan'],
  plan: Organization['plan'],
  save: UseMutationResult<void>,
) {
  const keptNow = useQuery(retentionQuery).data?.first_kept_day ?? '';
  const [asked, setAsked] = useState<Retention | null>(null);
  const look = useMutation({
    mutationFn: async () => (await api.GET('/api/v1/retention', { params: { query: { plan } } })).data!.data,
  });
  const onFound = (found: Retention) => {
    const removesMore = found.runs_to_remove > 0 && (found.first_kept_day ?? '') > keptNow;
    if (removesMore) setAsked(found);
    else save.mutate(undefined);
  };
  return {
    submit: (event: SubmitEvent) => {
      event.preventDefault();
      // Clears the error of an earlier attempt.
      save.reset();
      look.reset();
      if (plan === current) save.mutate(undefined);
      else look.mutate(undefined, { onSuccess: onFound });
    },
    error: look.error,
    isBusy: save.isPending || look.isPending,
    reset: () => {
      save.reset();
      look.reset();
    },
    dialog: asked && (
      <ConfirmRemoval
        asked={asked}
        plan={plan}
        change={save}
        onConfirm={() => save.mutate(undefined, { onSettled: () => setAsked(null) })}
        onClose={() => setAsked(null)}
      />
    ),
  };
}

const monthNames = new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: 'UTC' });
const months = Array.from({ length: 12 }, (_, index) => ({
  value: String(index + 1),
  label: monthNames.format(new Date(Date.UTC(2026, index, 1))),
}));

const weekStarts = [
  { value: 'monday', label: 'Monday' },
  { value: 'sunday', label: 'Sunday' },
] as const;

const timeZones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

function CalendarForm({ organization }: { organization: Organization }) {
  const { time_zone, fiscal_year_start_month, week_start } = organization;
  const [zone, setZone] = useState(time_zone);
  const [month, setMonth] = useState(String(fiscal_year_start_month));
  const [day, setDay] = useState(week_start);
  const change = useChange({
    act: async () => {
      const body = { time_zone: zone, fiscal_year_start_month: Number(month), week_start: day };
      await api.PUT('/api/v1/organization', { body });
    },
    done: 'Times and periods saved.',
    refresh: [organizationKey, ['session']],
    isErrorShown: true,
  });
  const now = new Date();
  const order = ['label', 'input', 'description', 'error'] as const;
  const common = { inputWrapperOrder: [...order] };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate(undefined);
      }}
    >
      <Stack>
        <SimpleGrid cols={{ base: 1, md: 3 }}>
          <Choice
            label="Time zone"
            description={`For times in these pages. It is ${clockIn(now, zone).time.slice(0, 5)} ${zoneName(now, zone)}.`}
            options={timeZones}
            value={zone}
            onChange={setZone}
            error={errorOf(change.error, 'time_zone')}
            {...common}
          />
          <Choice
            label="Fiscal year starts in"
            description="Other months add fiscal quarters and years."
            options={months}
            value={month}
            onChange={setMonth}
            error={errorOf(change.error, 'fiscal_year_start_month')}
            {...common}
          />
          <Choice
            label="Week starts on"
            description="Applies to all weeks except those of alerts, which begin on Monday."
            options={weekStarts}
            value={day}
            onChange={setDay}
            error={errorOf(change.error, 'week_start')}
            {...common}
          />
        </SimpleGrid>
        <FormError error={change.error} fields={['time_zone', 'fiscal_year_start_month', 'week_start']} />
        <SaveRow
          isDirty={JSON.stringify([zone, Number(month), day]) !== JSON.stringify(calendarOf(organization))}
          isBusy={change.isPending}
          onDiscard={() => {
            setZone(organization.time_zone);
            setMonth(String(organization.fiscal_year_start_month));
            setDay(organization.week_start);
            change.reset();
          }}
        >
          Costs count by UTC days, as providers bill them. Files, emails and the API have times in UTC.
        </SaveRow>
      </Stack>
    </form>
  );
}
