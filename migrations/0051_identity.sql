-- Identity providers that an organization's admins configured; others come from the environment.
create table identity_providers (
  org_id uuid not null references organizations,
  id text not null,
  kind text not null check (kind in ('oidc', 'github')),
  name text not null,
  -- The issuer of tokens, or GitHub's own address.
  issuer text not null,
  client_id text not null,
  client_secret bytea not null,
  allowed_domains text[] not null,
  default_role text check (default_role in ('viewer', 'member', 'admin', 'owner')),
  groups_claim text not null,
  group_roles jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id)
);

-- A row: members sign in by a provider only.
create table sign_in_policies (
  org_id uuid not null references organizations,
  is_required boolean not null,
  primary key (org_id)
);

-- Who a member is at an issuer. Emails can change hands, subjects cannot.
create table member_identities (
  org_id uuid not null references organizations,
  issuer text not null,
  subject text not null,
  member_id text not null,
  created_at timestamptz not null,
  primary key (org_id, issuer, subject),
  foreign key (org_id, member_id) references members on delete cascade
);
create unique index member_identities_by_member on member_identities (org_id, member_id, issuer);

-- Sessions by a provider, with what asks it again and what signs out there.
create table identity_sessions (
  org_id uuid not null references organizations,
  session_id text not null,
  provider_id text not null,
  issuer text not null,
  subject text not null,
  refresh_token bytea,
  id_token bytea,
  primary key (org_id, session_id),
  foreign key (org_id, session_id) references sessions on delete cascade
);
create index identity_sessions_by_provider on identity_sessions (org_id, provider_id);

-- When to ask the provider again; null for sessions without one.
alter table sessions add column check_at timestamptz;
