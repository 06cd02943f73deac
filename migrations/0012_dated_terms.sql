-- What is included can be dollars, and minutes can be used by multipliers. The defaults are what held before.
alter table billing_terms
  add column included_unit text not null default 'minutes' check (included_unit in ('minutes', 'usd')),
  add column included_nanos bigint check (included_nanos >= 0),
  add column included_draw text not null default 'list_price_ratio'
    check (included_draw in ('list_price_ratio', 'legacy_multipliers'));

-- GitHub billed no standard runner of Copilot's code reviews until 2026-05-31. Their sums were counted as not free. A
-- workflow's id is a digest of repository and path, so this also finds the sums of removed runs.
with reviews as (
  select org_id, id from workflows w
  where id in (
    select 'wf_' || left(encode(sha256(convert_to(json::text, 'UTF8')), 'hex'), 20)
    from unnest(array[
      'dynamic/copilot-pull-request-reviewer/copilot-pull-request-reviewer',
      'dynamic/copilot-pull-request-reviewer',
      'dynamic/agents/copilot-pull-request-reviewer'
    ]) path,
    concat('[', to_json(lower(w.repository)), ',', to_json(path), ']') json
  )
), moved as (
  select d.* from runner_days d
  join reviews r on r.org_id = d.org_id and r.id = d.workflow_id
  where d.day <= '2026-05-31' and not d.is_free and split_part(d.provider, '.', 1) = 'github'
), moves (is_free, sign) as (
  values (false, -1), (true, 1)
), changed_runners as (
  insert into runner_days as d (org_id, day, workflow_id, provider, runner_kind, is_free, jobs, minutes, cost_nanos)
  select org_id, day, workflow_id, provider, runner_kind, moves.is_free,
    sign * jobs, sign * minutes, sign * cost_nanos
  from moved cross join moves
  on conflict (org_id, day, workflow_id, provider, runner_kind, is_free) do update set
    jobs = d.jobs + excluded.jobs, minutes = d.minutes + excluded.minutes,
    cost_nanos = d.cost_nanos + excluded.cost_nanos
), changed_charges as (
  insert into charge_days as d (org_id, day, provider, runner_kind, is_free, jobs, minutes, cost_nanos)
  select org_id, day, provider, runner_kind, moves.is_free,
    sum(sign * jobs), sum(sign * minutes), sum(sign * cost_nanos)
  from moved cross join moves
  group by org_id, day, provider, runner_kind, moves.is_free
  on conflict (org_id, day, provider, runner_kind, is_free) do update set
    jobs = d.jobs + excluded.jobs, minutes = d.minutes + excluded.minutes,
    cost_nanos = d.cost_nanos + excluded.cost_nanos
)
update organization_days d set version = gen_random_uuid()
from (select distinct org_id, day from moved) m
where d.org_id = m.org_id and d.day = m.day;
