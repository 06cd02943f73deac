-- What a source reads its provider's API with, to bring in history and heal missed deliveries.
create table source_credentials (
  org_id uuid not null,
  source_id text not null,
  kind text not null check (kind in ('token', 'app')),
  -- Sealed.
  secret bytea not null,
  -- What may be shown of it.
  hint text not null,
  set_by text not null,
  set_at timestamptz not null,
  -- When the last nightly check was begun.
  checked_at timestamptz,
  primary key (org_id, source_id),
  foreign key (org_id, source_id) references sources on delete cascade
);

-- The runs that the provider has listed, and what was known of each before: how complete the deliveries were.
create table listed_runs (
  org_id uuid not null references organizations,
  run_id text not null,
  repository text not null,
  -- On which it was created.
  day date not null,
  found text not null check (found in ('whole', 'lacking', 'missing')),
  -- Of the list of its jobs as it was recorded, to ask only for what has changed since.
  jobs_etag text,
  listed_at timestamptz not null,
  primary key (org_id, run_id)
);
create index listed_runs_by_day on listed_runs (org_id, day, repository);
create index listed_runs_by_age on listed_runs (listed_at);
