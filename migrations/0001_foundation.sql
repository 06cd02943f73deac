-- Every table starts its primary key, unique indexes and foreign keys with org_id, so that any of them can be
-- split by organization. The application makes all ids. Money is nano-dollars in bigint, days are UTC.

create table installation (
  -- One row: which master key this database's secrets were encrypted with.
  only_row boolean primary key default true check (only_row),
  encryption_key_fingerprint text not null
);

create table organizations (
  org_id uuid primary key,
  name text not null,
  login text,
  plan text not null check (plan in ('free', 'pro', 'team')),
  -- A chat webhook's URL is a secret: whoever has it can post.
  chat_webhook_url bytea,
  chat_webhook_host text,
  chat_webhook_format text check (chat_webhook_format in ('slack', 'teams', 'discord', 'json')),
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table members (
  org_id uuid not null references organizations,
  id text not null,
  email text not null,
  name text,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  alert_emails boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id)
);
create unique index members_email on members (org_id, lower(email));

create table tokens (
  org_id uuid not null references organizations,
  id text not null,
  -- Null: a service token, which belongs to no person.
  member_id text,
  name text not null,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  scopes text[] not null,
  secret_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (org_id, id),
  foreign key (org_id, member_id) references members (org_id, id) on delete cascade
);

create table audit_entries (
  org_id uuid not null references organizations,
  -- Time-ordered, so that the primary key is the reading order too.
  id uuid not null,
  created_at timestamptz not null,
  actor text not null,
  action text not null,
  target text not null,
  details jsonb not null,
  primary key (org_id, id)
);

create table sources (
  org_id uuid not null references organizations,
  id text not null,
  kind text not null check (kind in ('github', 'gitlab')),
  name text not null,
  secret bytea not null,
  created_at timestamptz not null,
  last_event_at timestamptz,
  primary key (org_id, id)
);

-- Runs, jobs and rollups carry no foreign keys: their only writer holds the organization's row lock and writes
-- parents and children in one transaction, and a check per row would cost a third of the recording rate.

create table workflows (
  org_id uuid not null,
  id text not null,
  repository text not null,
  name text not null,
  -- Creation of the run that gave the name: the latest run's name is shown.
  named_at timestamptz not null,
  primary key (org_id, id)
);

create table runs (
  org_id uuid not null,
  id text not null,
  workflow_id text not null,
  provider text not null,
  repository text not null,
  is_private boolean,
  workflow_name text,
  workflow_path text,
  event text,
  branch text,
  actor text,
  -- What the provider's winning report of the run itself said; attempt 0 while only jobs have been reported.
  reported_attempt integer not null,
  reported_status text not null,
  reported_raw_conclusion text,
  reported_started_at timestamptz,
  reported_completed_at timestamptz,
  reported_at timestamptz not null,
  -- What follows from the report and the jobs.
  attempt integer not null,
  status text not null check (status in ('queued', 'in_progress', 'completed')),
  conclusion text check (conclusion in ('success', 'failure', 'cancelled', 'skipped')),
  raw_conclusion text,
  created_at timestamptz not null,
  started_at timestamptz,
  completed_at timestamptz,
  duration_seconds integer not null,
  cost_nanos bigint not null,
  primary key (org_id, id)
);
create index runs_recent on runs (org_id, created_at desc, id desc);
create index runs_by_workflow on runs (org_id, workflow_id, created_at desc, id desc);

create table jobs (
  org_id uuid not null,
  run_id text not null,
  attempt integer not null,
  job_id text not null,
  name text,
  labels text[] not null,
  runner_name text,
  runner_group text,
  status text not null check (status in ('queued', 'in_progress', 'completed')),
  raw_conclusion text,
  created_at timestamptz,
  started_at timestamptz,
  completed_at timestamptz,
  ran boolean,
  observed_at timestamptz not null,
  -- Repeated by a re-run of failed jobs with an earlier attempt's times: paid there, not here.
  is_carried_over boolean not null,
  runner_kind text,
  runner_rule text not null,
  billed_minutes integer not null,
  nanos_per_minute bigint not null,
  cost_nanos bigint not null,
  is_unpriced boolean not null,
  flags text[] not null,
  primary key (org_id, run_id, attempt, job_id)
);

-- Rollups: what the dashboard reads. Recording adds the difference that each change makes.
-- Costs, jobs and minutes stand on the day a job completed; runs on the day the run was created.

create table workflow_days (
  org_id uuid not null,
  day date not null,
  workflow_id text not null,
  cost_nanos bigint not null,
  jobs bigint not null,
  billed_minutes bigint not null,
  unpriced_minutes bigint not null,
  runs bigint not null,
  completed_runs bigint not null,
  skipped_runs bigint not null,
  successful_runs bigint not null,
  duration_seconds bigint not null,
  primary key (org_id, day, workflow_id)
) with (fillfactor = 70);

create table organization_days (
  org_id uuid not null,
  day date not null,
  cost_nanos bigint not null,
  jobs bigint not null,
  billed_minutes bigint not null,
  unpriced_minutes bigint not null,
  runs bigint not null,
  completed_runs bigint not null,
  skipped_runs bigint not null,
  successful_runs bigint not null,
  duration_seconds bigint not null,
  primary key (org_id, day)
) with (fillfactor = 70);

create table unpriced_days (
  org_id uuid not null,
  day date not null,
  -- Digest of the labels and the group: together they can be more text than an index takes.
  runner text not null,
  labels text[] not null,
  runner_group text,
  jobs bigint not null,
  minutes bigint not null,
  primary key (org_id, day, runner)
) with (fillfactor = 70);
