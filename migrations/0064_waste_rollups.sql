-- Changes with each change of the outcomes of the runs that were created on the day.
alter table workflow_days add column version uuid not null default '00000000-0000-0000-0000-000000000000';

-- The runs of a workflow that were created on a day and whose waste is summed up, with the versions of that day and of
-- the next: a newer run supersedes one from the day before. With other versions the sums are out of date.
create table waste_units (
  org_id uuid not null,
  day date not null,
  workflow_id text not null,
  version uuid not null,
  next_version uuid,
  -- Whether a job ended after the day.
  reads_next boolean not null,
  primary key (org_id, day, workflow_id),
  foreign key (org_id, day, workflow_id) references workflow_days (org_id, day, workflow_id) on delete cascade
);

-- Their jobs' cost, time and number by category, on the day of completion.
create table waste_days (
  org_id uuid not null,
  day date not null,
  workflow_id text not null,
  created_on date not null,
  rounding_nanos bigint not null,
  rounding_ms bigint not null,
  rounding_jobs bigint not null,
  failed_nanos bigint not null,
  failed_ms bigint not null,
  failed_jobs bigint not null,
  superseded_nanos bigint not null,
  superseded_ms bigint not null,
  superseded_jobs bigint not null,
  rerun_nanos bigint not null,
  rerun_ms bigint not null,
  rerun_jobs bigint not null,
  useful_nanos bigint not null,
  useful_ms bigint not null,
  useful_jobs bigint not null,
  skipped_jobs bigint not null,
  waited_ms bigint not null,
  primary key (org_id, day, workflow_id, created_on),
  foreign key (org_id, created_on, workflow_id) references waste_units (org_id, day, workflow_id) on delete cascade
);
create index waste_days_by_unit on waste_days (org_id, created_on, workflow_id);

-- The same by job name and outcome, for suggestions. Names beyond the first 500 of a unit are empty.
create table waste_jobs (
  org_id uuid not null,
  workflow_id text not null,
  day date not null,
  created_on date not null,
  part integer not null,
  provider text not null,
  name text not null,
  raw_conclusion text,
  is_repeated boolean not null,
  succeeded_later boolean not null,
  is_overtaken boolean not null,
  is_push boolean not null,
  is_billed boolean not null,
  jobs bigint not null,
  rounded_jobs bigint not null,
  cost_nanos bigint not null,
  time_nanos bigint not null,
  late_nanos bigint not null,
  billed_ms bigint not null,
  time_ms bigint not null,
  late_ms bigint not null,
  waiting_jobs bigint not null,
  waited_ms bigint not null,
  mergeable_jobs bigint not null,
  merge_nanos bigint not null,
  merged_ms bigint not null,
  longest_ms bigint not null,
  nanos_per_minute bigint not null,
  primary key (org_id, workflow_id, day, created_on, part),
  foreign key (org_id, created_on, workflow_id) references waste_units (org_id, day, workflow_id) on delete cascade
);
create index waste_jobs_by_unit on waste_jobs (org_id, created_on, workflow_id);
