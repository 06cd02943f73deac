-- The data quality and alerts name jobs over their time limit. No provider's limit is shorter.
create index jobs_by_length on jobs (org_id, completed_at)
  where completed_at - started_at > interval '15 minutes';

-- Whether a report said that it waits for a person: then its age at the start is not queue time.
alter table jobs add column awaited_approval boolean not null default false;
create index jobs_awaiting_approval on jobs (org_id, run_id) where awaited_approval and status = 'queued';

create or replace view recorded_jobs as
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
  case when j.labels is not null then j.flags else f.flags end as flags,
  j.awaited_approval
from jobs j
left join job_facts f on f.org_id = j.org_id and f.id = j.facts_id;
