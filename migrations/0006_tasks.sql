-- Long work that somebody asked for, done piece by piece by whichever worker has the lease. One that died leaves it to
-- the next, which goes on from `state`.
create table tasks (
  org_id uuid not null references organizations,
  id text not null,
  kind text not null,
  status text not null check (status in ('queued', 'running', 'done', 'failed', 'cancelled')),
  input jsonb not null,
  state jsonb not null,
  -- How far it has come, in units of its kind; no total until it is known.
  done bigint not null default 0,
  total bigint,
  error text,
  -- How often it was begun since it last got on.
  starts integer not null default 0,
  due_at timestamptz not null,
  lease text,
  leased_until timestamptz,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  primary key (org_id, id)
);
create index tasks_due on tasks (kind, due_at) where status in ('queued', 'running');
create index tasks_by_kind on tasks (org_id, kind, created_at desc, id desc);

-- Jobs by when they completed: for exports, new prices, waste and bills, which look at days.
create index jobs_by_completion on jobs (org_id, completed_at, run_id, attempt, job_id) where completed_at is not null;
