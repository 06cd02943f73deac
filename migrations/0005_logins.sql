-- Command lines that wait until somebody confirms their login in a browser. They belong to no organization before, so this
-- table belongs to none, and its rows are removed after some minutes.
create table logins (
  secret_hash bytea primary key,
  code_hash bytea not null unique,
  -- What asks, such as mia@laptop, and from which address.
  name text not null,
  address text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  is_denied boolean not null default false,
  -- Who confirmed it, for which organization and with which rights.
  for_org_id uuid,
  member_id text,
  actor text,
  role text check (role in ('owner', 'admin', 'member', 'viewer')),
  scopes text[]
);
create index logins_by_end on logins (expires_at);
