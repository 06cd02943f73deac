-- Whether the App may open pull requests with fixes.
alter table pull_request_settings add column opens_fixes boolean not null default false;
