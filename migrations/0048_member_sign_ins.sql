-- Sessions and links of a member, without a token: they have the member's own role and end with the member. A row has
-- a token or a member; with neither it is the command line's.
alter table sessions
  add column member_id text,
  add foreign key (org_id, member_id) references members on delete cascade,
  add check (token_id is null or member_id is null);
create index sessions_by_member on sessions (org_id, member_id);

alter table sign_in_codes
  add column member_id text,
  add foreign key (org_id, member_id) references members on delete cascade,
  add check (token_id is null or member_id is null);
create index sign_in_codes_by_member on sign_in_codes (org_id, member_id);
