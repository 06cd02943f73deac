-- How long an organization keeps runs with their jobs; null keeps them for ever. Runs created before `details_from` are
-- removed, or about to be, and no report of them is recorded.
alter table organizations
  add column run_retention_days integer check (run_retention_days >= 90),
  add column details_from date;

-- A report can name a run without saying when that was created, and must not count it twice.
create table removed_runs (
  org_id uuid not null references organizations,
  id text not null,
  primary key (org_id, id)
);

-- What cost queries read of removed jobs and runs. Rows are added and never changed: nothing can make them again.
create table kept_columns (
  org_id uuid not null references organizations,
  facts text not null check (facts in ('jobs', 'runs')),
  day date not null,
  part integer not null,
  name text not null,
  rows integer not null,
  data bytea not null,
  primary key (org_id, facts, day, part, name),
  foreign key (org_id, day) references organization_days (org_id, day)
);
alter table kept_columns alter column data set storage external;
