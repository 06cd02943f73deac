-- A personal API token of CircleCI, with which usage data is read.
alter table source_credentials drop constraint source_credentials_kind_check;
alter table source_credentials add constraint source_credentials_kind_check
  check (kind in ('token', 'app', 'circleci'));
