-- In the order of a recording, or they wait for each other.
lock table organizations, jobs, runs in access exclusive mode;

-- What many jobs of an organization share, once: nearly half of a job's row. `id` is a digest of the other columns, and a
-- row never changes.
create table job_facts (
  org_id uuid not null,
  id bigint not null,
  labels text[] not null,
  runner_group text,
  raw_conclusion text,
  ran boolean,
  runner_kind text,
  runner_rule text not null,
  nanos_per_minute bigint not null,
  rounding text not null,
  price_book_id text not null,
  price_rule_id text,
  is_unpriced boolean not null,
  flags text[] not null,
  primary key (org_id, id)
);

-- With `facts_id`, these columns are empty. Jobs billed by the second keep `rounding` and `runner_kind` for the index on them.
alter table jobs
  add column facts_id bigint,
  alter column labels drop not null,
  alter column runner_rule drop not null,
  alter column nanos_per_minute drop not null,
  alter column rounding drop not null,
  alter column price_book_id drop not null,
  alter column is_unpriced drop not null,
  alter column flags drop not null;

create index jobs_without_facts on jobs (org_id) where labels is not null;

-- A job with its facts, wherever they are stored: what the previous version changes has labels again. If no fact is asked
-- for, PostgreSQL leaves the join out.
create view recorded_jobs as
select
  j.org_id, j.run_id, j.attempt, j.job_id, j.name, j.runner_name, j.status, j.created_at, j.started_at, j.completed_at,
  j.observed_at, j.is_carried_over, j.billed_minutes, j.cost_nanos, j.reports,
  case when j.labels is not null then j.labels else f.labels end as labels,
  case when j.labels is not null then j.runner_group else f.runner_group end as runner_group,
  case when j.labels is not null then j.raw_conclusion else f.raw_conclusion end as raw_conclusion,
  case when j.labels is not null then j.ran else f.ran end as ran,
  case when j.labels is not null then j.runner_kind else f.runner_kind end as runner_kind,
  case when j.labels is not null then j.runner_rule else f.runner_rule end as runner_rule,
  case when j.labels is not null then j.nanos_per_minute else f.nanos_per_minute end as nanos_per_minute,
  case when j.labels is not null then j.rounding else f.rounding end as rounding,
  case when j.labels is not null then j.price_book_id else f.price_book_id end as price_book_id,
  case when j.labels is not null then j.price_rule_id else f.price_rule_id end as price_rule_id,
  case when j.labels is not null then j.is_unpriced else f.is_unpriced end as is_unpriced,
  case when j.labels is not null then j.flags else f.flags end as flags
from jobs j
left join job_facts f on f.org_id = j.org_id and f.id = j.facts_id;

-- Whether jobs refer to their facts. The previous version cannot read such jobs, so where there are organizations, they
-- begin a day after this migration.
alter table organizations add column stores_job_facts boolean not null default false;
do $$
begin
  if not exists (select from organizations) then
    alter table organizations alter column stores_job_facts set default true;
  end if;
end $$;

-- Runs of one pull request are few and are sorted at once; without their times, equal keys are stored once.
drop index runs_by_pull_request;
create index runs_by_pull_request on runs (org_id, pull_request) where pull_request is not null;
