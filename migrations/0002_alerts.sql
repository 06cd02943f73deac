-- Counts what has been recorded, so that budgets are looked at when costs have come, and not otherwise.
alter table organizations
  add column costs_version bigint not null default 0,
  add column costs_checked_version bigint not null default 0;

-- A rollup beside the others, which tells why a cost rose: more jobs, longer ones, dearer runners.
create table runner_days (
  org_id uuid not null,
  day date not null,
  workflow_id text not null,
  runner_kind text not null,
  jobs bigint not null,
  minutes bigint not null,
  cost_nanos bigint not null,
  primary key (org_id, day, workflow_id, runner_kind)
) with (fillfactor = 70);

insert into runner_days
select j.org_id, (j.completed_at at time zone 'UTC')::date, r.workflow_id, coalesce(j.runner_kind, 'unpriced'),
  count(*), sum(j.billed_minutes), sum(j.cost_nanos)
from jobs j
join runs r on r.org_id = j.org_id and r.id = j.run_id
where j.status = 'completed' and j.completed_at is not null and not j.is_carried_over
group by 1, 2, 3, 4;

create table alerts (
  org_id uuid not null references organizations,
  id uuid not null,
  name text not null,
  alert_type text not null check (alert_type in ('budget', 'anomaly')),
  -- US dollars for budgets, percent for anomalies; in billionths.
  threshold_nanos bigint not null check (threshold_nanos > 0),
  check_frequency text not null check (check_frequency in ('daily', 'weekly', 'monthly')),
  period text not null check (period in ('day', 'week', 'month')),
  notify_email boolean not null,
  enabled boolean not null,
  state text not null check (state in ('ok', 'triggered', 'insufficient_data')),
  last_triggered_at timestamptz,
  next_check_at timestamptz not null,
  -- Which percentages of which amount have been told in which period.
  told_period_start date,
  told_budget_nanos bigint,
  told_percentages integer[] not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id)
);
create index alerts_due on alerts (next_check_at) where enabled;

create table alert_triggers (
  org_id uuid not null,
  id text not null,
  alert_id uuid not null,
  triggered_at timestamptz not null,
  current_nanos bigint not null,
  threshold_nanos bigint not null,
  observed_nanos bigint not null,
  -- Null for budgets.
  baseline_nanos bigint,
  period_start date not null,
  period_end date not null,
  explanation jsonb not null,
  resolved_at timestamptz,
  resolution text,
  primary key (org_id, id),
  foreign key (org_id, alert_id) references alerts on delete cascade
);
create index alert_triggers_by_alert on alert_triggers (org_id, alert_id, triggered_at desc, id desc);

-- What has happened, word for word as it is told to webhooks.
create table events (
  org_id uuid not null references organizations,
  id text not null,
  kind text not null,
  created_at timestamptz not null,
  body text not null,
  primary key (org_id, id)
);

-- Messages to people: written with what caused them, sent afterwards.
create table notifications (
  org_id uuid not null references organizations,
  id text not null,
  trigger_id text not null,
  channel text not null check (channel in ('email', 'chat')),
  -- An email address; empty for the organization's chat.
  recipient text not null,
  notice jsonb not null,
  status text not null check (status in ('pending', 'sent', 'failed')),
  attempts integer not null,
  due_at timestamptz not null,
  -- Who is sending it, until when; a sender that died leaves it to the next.
  lease text,
  leased_until timestamptz,
  last_error text,
  created_at timestamptz not null,
  sent_at timestamptz,
  primary key (org_id, id)
);
create index notifications_due on notifications (due_at) where status = 'pending';
create index notifications_by_trigger on notifications (org_id, trigger_id);
