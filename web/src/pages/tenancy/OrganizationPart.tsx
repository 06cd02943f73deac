import { NumberInput, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { addDays } from '../../analysis/ranges.ts';
import { clockIn, zoneName } from '../../api/calendar.ts';
import { api } from '../../api/client.ts';
import { type Organization, organizationKey, organizationQuery } from '../../api/queries.ts';
import { useCommandLine } from '../../api/session.ts';
import { demoQuery } from '../../parts/demo/queries.ts';
import { Command } from '../../ui/Command.tsx';
import { CopyField } from '../../ui/CopyField.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { count, countOf, longDay } from '../../ui/figures.ts';
import { below, PageForm } from '../../ui/Form.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { DescriptionList, Panel } from '../../ui/Panel.tsx';
import { RightsNote, useWhyNot } from '../../ui/rights.tsx';
import { When } from '../../ui/text.tsx';
import { changesOf, trimmed } from '../../ui/typed.ts';
import { DeleteOrganization } from './DeleteOrganization.tsx';
import { type Retention, retentionKey, retentionQuery } from './queries.ts';

export function OrganizationPart() {
  const organization = useQuery(organizationQuery);
  const whyNot = useWhyNot();
  const reason = whyNot({ role: 'admin', scope: 'admin' });
  const demo = useQuery({ ...demoQuery, enabled: reason === null });
  if (reason !== null) {
    return (
      <>
        <RightsNote reason={reason} />
        <Panel title="Name and times">
          <Loaded query={organization} height={240}>
            {(data) => <OrganizationDetails organization={data} />}
          </Loaded>
        </Panel>
      </>
    );
  }
  return (
    <>
      <Panel title="Name">
        <Loaded query={organization} height={335}>
          {(data) => <OrganizationForm organization={data} />}
        </Loaded>
      </Panel>
      {/* Rendered once the height of the form above is known. */}
      {organization.data && !demo.isPending && (
        <>
          <Panel title="Times and periods">
            <CalendarForm organization={organization.data} />
          </Panel>
          <RetentionPart />
          {demo.data && <LoadedDemo at={demo.data.created_at} />}
          {whyNot({ role: 'owner', scope: 'admin' }) === null && (
            <DeleteOrganization name={organization.data.name} />
          )}
        </>
      )}
    </>
  );
}

function OrganizationDetails({ organization }: { organization: Organization }) {
  const retention = useQuery(retentionQuery).data;
  const labelOf = (options: readonly { value: string; label: string }[], value: string) =>
    options.find((each) => each.value === value)?.label ?? value;
  return (
    <DescriptionList
      items={[
        ['Name', organization.name],
        ['Login', organization.login ?? '–'],
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
  const { name, login } = organization;
  const saved = { name, login: login ?? '' };
  return (
    <PageForm
      columns={2}
      initial={saved}
      fields={[
        { name: 'name', label: 'Name', required: true, maxLength: 255 },
        {
          name: 'login',
          label: 'Login',
          description: 'The name at your provider, such as acme in github.com/acme.',
          maxLength: 255,
          ...below,
        },
        <CopyField
          label="ID"
          what="the organization ID"
          value={organization.org_id}
          description={
            <>
              Created <When at={organization.created_at} />. Use this ID in the API and on the command line.
            </>
          }
        />,
      ]}
      act={async (values) => {
        const changes = changesOf(trimmed(saved), values);
        const body = { ...changes, ...(changes.login !== undefined && { login: changes.login || null }) };
        await api.PUT('/api/v1/organization', { body });
      }}
      done="Organization saved."
      refresh={[organizationKey, retentionKey, ['session']]}
    />
  );
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
  const now = new Date();
  return (
    <PageForm
      columns={3}
      initial={{ time_zone, fiscal_year_start_month: String(fiscal_year_start_month), week_start }}
      fields={({ values: { time_zone: zone } }) => [
        {
          name: 'time_zone',
          kind: 'choice',
          label: 'Time zone',
          description: `For times in these pages. It is ${clockIn(now, zone).time.slice(0, 5)} ${zoneName(now, zone)}.`,
          options: timeZones,
          ...below,
        },
        {
          name: 'fiscal_year_start_month',
          kind: 'choice',
          label: 'Fiscal year starts in',
          description: 'Other months add fiscal quarters and years.',
          options: months,
          ...below,
        },
        {
          name: 'week_start',
          kind: 'choice',
          label: 'Week starts on',
          description: 'Applies to all weeks except those of alerts, which begin on Monday.',
          options: weekStarts,
          ...below,
        },
      ]}
      act={({ fiscal_year_start_month: month, ...values }) =>
        api.PUT('/api/v1/organization', { body: { ...values, fiscal_year_start_month: Number(month) } })
      }
      done="Times and periods saved."
      refresh={[organizationKey, ['session']]}
      note="Costs count by UTC days, as providers bill them. Files, emails and the API have times in UTC."
    />
  );
}

function RetentionPart() {
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
      fields={({ input }) => [<DaysField {...input('run_retention_days', 'query.days')} />]}
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

/** Its runs are those of GitHub from the 90 days up to its load. */
function LoadedDemo({ at }: { at: string }) {
  const last = at.slice(0, 10);
  const days = `--from ${addDays(last, -89)} --to ${last}`;
  const command = `${useCommandLine()} run delete --provider github ${days} --yes`;
  return (
    <Panel title="Demo">
      <Text size="sm">
        The demo was loaded on {longDay(last)}. This deletes its runs, and other runs of GitHub from these
        days. Its bill, owners and runner pools have buttons on their own pages. It chose the price list and
        the plan, if you had not.
      </Text>
      <Command label="the command that deletes the demo">{command}</Command>
    </Panel>
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
  change: { isPending: boolean; mutate: () => void };
  onClose: () => void;
};

function ConfirmRemoval({ asked, change, onClose }: ConfirmProps) {
  const { first_kept_day: first, runs_to_remove: runs } = asked;
  return (
    <Confirm title="Remove older runs?" label="Save and remove" change={change} onClose={onClose}>
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
