-- What GitHub Actions stores: the newest reading of each repository.
create table storage_repositories (
  org_id uuid not null references organizations,
  repository text not null,
  read_at timestamptz not null,
  -- Artifacts that GitHub counts and we did not list.
  unlisted integer not null,
  -- Live artifacts of runs that are not recorded.
  unknown_artifacts integer not null,
  caches integer not null,
  cache_bytes bigint not null,
  -- Of this month, above what is included.
  cache_byte_hours bigint not null,
  -- Why a part could not be read.
  problems text[] not null,
  primary key (org_id, repository)
);

-- Artifacts of a name and workflow, or caches of a key and ref.
create table storage_items (
  org_id uuid not null,
  repository text not null,
  kind text not null,
  -- Empty if no workflow is known.
  workflow_id text not null,
  name text not null,
  -- Empty for artifacts.
  ref text not null,
  items integer not null,
  bytes bigint not null,
  -- Live artifacts older than a week; caches that nobody restored.
  stale_bytes bigint not null,
  stale_items integer not null,
  -- Made in the last week.
  week_items integer not null,
  -- Of this month, until it was read.
  byte_hours bigint not null,
  retention_days integer,
  first_expires_at timestamptz,
  last_expires_at timestamptz,
  -- Expire within a week.
  expiring_bytes bigint not null,
  primary key (org_id, repository, kind, workflow_id, name, ref),
  foreign key (org_id, repository) references storage_repositories
);

-- What was stored on a day, when it was last read.
create table storage_days (
  org_id uuid not null references organizations,
  day date not null,
  repository text not null,
  artifact_bytes bigint not null,
  cache_bytes bigint not null,
  primary key (org_id, day, repository)
);
