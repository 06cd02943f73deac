-- Exports of each day, week or month, uploaded to a storage of the organization.
create table scheduled_exports (
  org_id uuid not null references organizations,
  id text not null,
  dataset text not null,
  format text not null,
  frequency text not null check (frequency in ('daily', 'weekly', 'monthly')),
  endpoint text not null,
  region text not null,
  bucket text not null,
  prefix text not null,
  access_key_id text not null,
  -- Encrypted.
  secret_access_key bytea not null,
  path_style boolean not null,
  enabled boolean not null,
  -- The first day that has no upload yet.
  next_start date not null,
  next_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id)
);
create index scheduled_exports_due on scheduled_exports (next_at) where enabled;
