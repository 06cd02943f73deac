-- GitHub Apps that people create from here. A row without `app_id` waits for GitHub to send them back with a code.
create table github_apps (
  org_id uuid not null references organizations,
  source_id text not null,
  -- The one-time proof that the same person comes back.
  state_hash bytea,
  is_reachable boolean not null,
  started_by text not null,
  started_at timestamptz not null,
  app_id text,
  page_url text,
  -- Sealed; only until the App is installed.
  private_key bytea,
  primary key (org_id, source_id)
);

-- Where GitHub cannot reach this server, the source asks for new runs every few minutes.
alter table source_credentials add column is_polled boolean not null default false;
