-- Changes with each change of what a cost query reads of the day, so that readers know whether what they kept is current.
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
  primary key (org_id, facts, name, day),
  foreign key (org_id, day) references organization_days (org_id, day) on delete cascade
);
create index day_columns_by_day on day_columns (org_id, day);
alter table day_columns alter column data set storage external;
