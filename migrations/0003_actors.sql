-- Who started a run. `runs.actor` is who triggered its latest attempt.
alter table runs add column started_by text;
-- Who triggered each attempt, if they differ. Null: each attempt has the run's actor, and so have the attempts of runs
-- that were recorded before this column.
alter table runs add column attempt_actors jsonb;
-- Who triggered the job, if its provider reports that for each job.
alter table jobs add column actor text;

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
  j.awaited_approval, j.actor
from jobs j
left join job_facts f on f.org_id = j.org_id and f.id = j.facts_id;

-- Who triggered a job: what its provider reports for the job, then who triggered its attempt, then who started the run.
create function actor_of_job(job_actor text, attempt integer, run_actor text, attempt_actors jsonb, started_by text)
returns text language sql immutable parallel safe as $$
  select coalesce(job_actor, case
    when attempt_actors is null then run_actor
    else coalesce(attempt_actors ->> attempt::text, started_by)
  end)
$$;

-- Runs that were recorded before this column have the actor of their first attempt, if it is their only one.
create function starter_of_run(started_by text, attempt integer, actor text)
returns text language sql immutable parallel safe as $$
  select coalesce(started_by, case when attempt = 1 then actor end)
$$;
