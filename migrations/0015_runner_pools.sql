-- Pools of own runners, and what they cost. Costs are spread over jobs when somebody asks.
create table runner_pools (
  org_id uuid not null references organizations,
  id text not null,
  -- A job belongs to the first pool that matches it.
  position integer not null,
  name text not null,
  match text not null check (match in ('label', 'regex', 'runner_group')),
  pattern text not null,
  -- How files of costs name the pool, besides its name.
  resource_ids text[] not null default '{}',
  -- [{"firstDay": "2026-01-01", "lastDay": null, "machines": 4, "monthlyNanos": null, "hourlyNanos": "120000000"}]
  periods jsonb not null default '[]',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id)
);
create unique index runner_pools_by_name on runner_pools (org_id, lower(name));

-- What a pool cost on a day, from imported files.
create table runner_pool_days (
  org_id uuid not null,
  pool_id text not null,
  day date not null,
  cost_nanos bigint not null check (cost_nanos >= 0),
  primary key (org_id, pool_id, day),
  foreign key (org_id, pool_id) references runner_pools on delete cascade
);
