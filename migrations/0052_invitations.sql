alter table sessions
  -- As the browser sent it, cut to 200 characters.
  add column user_agent text,
  -- The address that the person proved to have when signing in, by a link that only an email to it contained.
  add column proven_email text;

create table invitations (
  org_id uuid not null references organizations,
  id text not null,
  -- Null: for whoever has the link.
  email text,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  secret_hash bytea not null,
  -- Whether only an email to the address contained the link, so that it proves the address.
  is_mailed boolean not null,
  -- Who invited, as shown, and what ends the invitation when it ends.
  author text not null,
  member_id text,
  token_id text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz,
  primary key (org_id, id),
  foreign key (org_id, member_id) references members (org_id, id) on delete cascade
);
create index invitations_by_member on invitations (org_id, member_id);
