-- Runs of pull requests from forks, whose number GitHub's events do not have: it is asked for.
create table pull_request_searches (
  org_id uuid not null references organizations,
  id text not null,
  provider text not null,
  repository text not null,
  -- The provider's id.
  run_id text not null,
  head_repository text not null,
  head_branch text not null,
  head_sha text,
  -- Of the App that got the event.
  installation_id text not null,
  -- Of the run.
  created_at timestamptz not null,
  due_at timestamptz not null,
  attempts integer not null,
  lease text,
  leased_until timestamptz,
  primary key (org_id, id),
  unique (org_id, provider, repository, run_id)
);
create index pull_request_searches_due on pull_request_searches (due_at);
