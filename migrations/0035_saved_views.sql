-- Questions of cost that people keep, for themselves or for everybody.
create table saved_views (
  org_id uuid not null references organizations,
  id text not null,
  name text not null,
  query text not null,
  is_shared boolean not null,
  author text not null,
  member_id text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id)
);
