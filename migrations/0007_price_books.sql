-- Which prices a job was priced with, so that its receipt can tell. Jobs from before had one book and no rules.
alter table jobs
  add column rounding text not null default 'minute' check (rounding in ('minute', 'second')),
  add column price_book_id text not null default 'github_2025',
  add column price_rule_id text;

-- The book in use: one that comes with the program, or one of price_books. Included minutes follow from GitHub's plan
-- or are a number; with neither there are none.
alter table organizations
  add column price_book_id text not null default 'github_2025',
  add column included_plan text check (included_plan in ('free', 'pro', 'team', 'enterprise')),
  add column included_minutes integer check (included_minutes >= 0);

-- Books of organizations. Those deleted stay for the receipts of the jobs that were priced with them.
create table price_books (
  org_id uuid not null references organizations,
  id text not null,
  name text not null,
  based_on text,
  -- [{"runnerKind": "linux_2_core", "effectiveFrom": "2026-01-01", "nanosPerMinute": "6000000"}]
  prices jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (org_id, id)
);

-- Rules that come before the classification of runners: the first match by position decides.
create table price_rules (
  org_id uuid not null references organizations,
  id text not null,
  position integer not null,
  match text not null check (match in ('label', 'regex', 'runner_group')),
  pattern text not null,
  -- Either a kind of runner, priced by the book, or a name with a rate of its own.
  runner_kind text,
  name text,
  nanos_per_minute bigint check (nanos_per_minute >= 0),
  rounding text check (rounding in ('minute', 'second')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id),
  check ((runner_kind is null) = (name is not null and nanos_per_minute is not null))
);

-- What an organization reckons that a minute on runners costs which nobody bills: never part of a cost.
create table shadow_rates (
  org_id uuid not null references organizations,
  runner_kind text not null,
  effective_from date not null,
  nanos_per_minute bigint not null check (nanos_per_minute >= 0),
  primary key (org_id, runner_kind, effective_from)
);

-- What each job that a reprice changed cost before and after, so that it can be taken back. `facts` is a digest of all
-- that the price depends on.
create table reprice_changes (
  org_id uuid not null references organizations,
  reprice_id text not null,
  run_id text not null,
  attempt integer not null,
  job_id text not null,
  facts text not null,
  before jsonb not null,
  after jsonb not null,
  primary key (org_id, reprice_id, run_id, attempt, job_id)
);
