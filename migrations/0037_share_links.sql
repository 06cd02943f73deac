-- Links that show one view of costs to whoever has them, until they expire.
create table share_links (
  org_id uuid not null references organizations,
  id text not null,
  secret_hash bytea not null,
  page text not null check (page in ('overview', 'explore')),
  chart text not null check (chart in ('bars', 'lines', 'treemap', 'heatmap')),
  query text not null,
  author text not null,
  member_id text,
  token_id text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_used_at timestamptz,
  primary key (org_id, id)
);
