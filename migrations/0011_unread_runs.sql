-- A run that the provider lists may be one that it does not let read: what was known of it cannot be told yet.
alter table listed_runs
  drop constraint listed_runs_found_check,
  add constraint listed_runs_found_check check (found in ('whole', 'lacking', 'missing', 'unread'));
