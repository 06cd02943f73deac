-- Changes with each change of the day's runs and jobs, so that readers know whether what they kept of it is current.
alter table organization_days add column version uuid not null default gen_random_uuid();

-- The jobs and runs of a day by column, compressed: what a cost query reads. Made from `jobs` and `runs` by the first
-- query of a changed day, so recording pays nothing for it. Rows of another version than the day's are out of date.
create table day_columns (
  org_id uuid not null references organizations,
  facts text not null check (facts in ('jobs', 'runs')),
  name text not null,
  day date not null,
  version uuid not null,
  data bytea not null,
  primary key (org_id, facts, name, day)
);
alter table day_columns alter column data set storage external;
