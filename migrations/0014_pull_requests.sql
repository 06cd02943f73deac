-- What providers say about pull requests. Their costs are those of the runs that name their numbers.
create table pull_requests (
  org_id uuid not null references organizations,
  provider text not null,
  -- In lower case, because names of repositories ignore it.
  repository text not null,
  number integer not null,
  -- open, merged or closed
  state text not null,
  title text,
  author text,
  created_at timestamptz,
  -- When it was merged or closed.
  ended_at timestamptz,
  -- The provider's time of this state.
  observed_at timestamptz not null,
  primary key (org_id, provider, repository, number)
);
create index pull_requests_by_end on pull_requests (org_id, ended_at);
