alter table sessions
  -- Whose word the proven address is: an issuer that an organization chose. Null: the server's own.
  add column proven_issuer text,
  -- The session that entered this organization, which may be another organization's. It has the cookie.
  add column root_org_id uuid,
  add column root_id text,
  add check ((root_org_id is null) = (root_id is null));
create unique index sessions_by_root on sessions (org_id, root_org_id, root_id);
create index sessions_of_root on sessions (root_org_id, root_id) where root_id is not null;

-- The organizations of a person.
create index members_by_email on members (lower(email));
