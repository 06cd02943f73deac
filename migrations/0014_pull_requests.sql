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

-- When the states that no event said were last read from GitHub.
create table pull_request_reads (
  org_id uuid primary key references organizations,
  tried_at timestamptz not null
);
