-- When somebody chose the price book; null while it is the default that nobody chose.
alter table organizations add column price_book_chosen_at timestamptz;

update organizations o set price_book_chosen_at = (
  select max(a.created_at) from audit_entries a
  where a.org_id = o.org_id and a.action = 'pricing.update' and a.details ? 'book_id'
);

-- Rollups know minutes alone: these jobs of runners that are billed by the minute were priced by the second. They are few.
create index jobs_by_second on jobs (org_id, completed_at)
  where rounding = 'second' and runner_kind ~ '^(linux|windows|macos)_';
