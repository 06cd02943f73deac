-- What tells a person which of their sessions is which: where it signed in from, and when it was last used.
alter table sessions add column address text;
alter table sessions add column last_seen_at timestamptz;
update sessions set last_seen_at = created_at;
alter table sessions alter column last_seen_at set not null;
