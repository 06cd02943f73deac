-- Who records meanwhile waits: its sums would be added to those that are already copied.
lock table runner_days in access exclusive mode;

-- Net cost by workflow is computed from these sums, so they have what decides on discounts: see `charge_days`.
create table charged_runner_days (
  org_id uuid not null,
  day date not null,
  workflow_id text not null,
  provider text not null,
  runner_kind text not null,
  is_free boolean not null,
  jobs bigint not null,
  minutes bigint not null,
  cost_nanos bigint not null,
  primary key (org_id, day, workflow_id, provider, runner_kind, is_free)
) with (fillfactor = 70);

-- Nearly all workflows have runs of one kind only, and keep their sums. The jobs of the others are added up again.
with origins as materialized (
  select distinct org_id, workflow_id, provider,
    split_part(provider, '.', 1) = 'github'
      and (is_private is false or coalesce(workflow_path, '') ~ '^dynamic/(dependabot|pages)/') as is_free
  from runs
),
alike as materialized (
  select org_id, workflow_id, min(provider) as provider, bool_and(is_free) as is_free
  from origins
  group by org_id, workflow_id
  having count(*) = 1
),
mixed as materialized (
  select org_id, workflow_id from origins group by org_id, workflow_id having count(*) > 1
)
insert into charged_runner_days
select d.org_id, d.day, d.workflow_id, a.provider, d.runner_kind, a.is_free, d.jobs, d.minutes, d.cost_nanos
from runner_days d
join alike a on a.org_id = d.org_id and a.workflow_id = d.workflow_id
where d.jobs <> 0 or d.minutes <> 0 or d.cost_nanos <> 0
union all
select j.org_id, (j.completed_at at time zone 'UTC')::date, r.workflow_id, r.provider, coalesce(j.runner_kind, 'unpriced'),
  split_part(r.provider, '.', 1) = 'github'
    and (r.is_private is false or coalesce(r.workflow_path, '') ~ '^dynamic/(dependabot|pages)/'),
  count(*), sum(j.billed_minutes), sum(j.cost_nanos)
from mixed m
join runs r on r.org_id = m.org_id and r.workflow_id = m.workflow_id
join jobs j on j.org_id = r.org_id and j.run_id = r.id
where j.status = 'completed' and j.completed_at is not null and not j.is_carried_over
group by 1, 2, 3, 4, 5, 6;

drop table runner_days;
alter table charged_runner_days rename to runner_days;
alter table runner_days rename constraint charged_runner_days_pkey to runner_days_pkey;
