-- What a run cost beside its jobs, such as the AI credits of an agent, as its pipeline reports it. `key` tells apart what several
-- jobs of an attempt report. The run's place stays when its details are removed.
create table run_amounts (
  org_id uuid not null references organizations,
  run_id text not null,
  attempt integer not null,
  key text not null,
  day date not null,
  provider text not null,
  repository text not null,
  workflow_id text not null,
  -- [{"product": "ai_credits", "unit": "credits", "quantity": 120, "costNanos": "1200000000"}]
  amounts jsonb not null,
  reported_at timestamptz not null,
  primary key (org_id, run_id, attempt, key)
);
create index run_amounts_by_day on run_amounts (org_id, day);
