-- What a day's jobs come to by what decides their discounts. `is_free`: the provider bills no standard runner of these
-- runs, because the repository is public or the workflow is its own.
create table charge_days (
  org_id uuid not null,
  day date not null,
  provider text not null,
  runner_kind text not null,
  is_free boolean not null,
  jobs bigint not null,
  minutes bigint not null,
  cost_nanos bigint not null,
  primary key (org_id, day, provider, runner_kind, is_free)
) with (fillfactor = 70);

insert into charge_days
select j.org_id, (j.completed_at at time zone 'UTC')::date, r.provider, coalesce(j.runner_kind, 'unpriced'),
  split_part(r.provider, '.', 1) = 'github'
    and (r.is_private is false or coalesce(r.workflow_path, '') ~ '^dynamic/(dependabot|pages)/'),
  count(*), sum(j.billed_minutes), sum(j.cost_nanos)
from jobs j
join runs r on r.org_id = j.org_id and r.id = j.run_id
where j.status = 'completed' and j.completed_at is not null and not j.is_carried_over
group by 1, 2, 3, 4, 5;

-- What a provider takes off its list prices, each from its first day until the next. With neither a plan nor a number
-- there are no included minutes.
create table billing_terms (
  org_id uuid not null references organizations,
  provider text not null,
  effective_from date not null,
  included_plan text check (included_plan in ('free', 'pro', 'team', 'enterprise')),
  included_minutes integer check (included_minutes >= 0),
  -- In hundredths of a percent.
  discount integer not null check (discount between 0 and 10000),
  primary key (org_id, provider, effective_from)
);

insert into billing_terms
select org_id, 'github', '1970-01-01', included_plan, included_minutes, 0 from organizations
where included_plan is not null or included_minutes is not null;

alter table organizations drop column included_plan, drop column included_minutes;
