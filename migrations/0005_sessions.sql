-- Browsers that are signed in. A session has the rights of the token it came from and ends with it; without a token it
-- came from a code that the command line made, and is an owner's.
create table sessions (
  org_id uuid not null references organizations,
  id text not null,
  token_id text,
  secret_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (org_id, id),
  foreign key (org_id, token_id) references tokens on delete cascade
);
create index sessions_by_token on sessions (org_id, token_id);

-- Each signs in one browser, and is gone with it.
create table sign_in_codes (
  org_id uuid not null references organizations,
  id text not null,
  token_id text,
  secret_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (org_id, id),
  foreign key (org_id, token_id) references tokens on delete cascade
);
create index sign_in_codes_by_token on sign_in_codes (org_id, token_id);
