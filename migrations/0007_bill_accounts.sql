-- Accounts at GitHub whose bills Runcost fetches.
create table bill_accounts (
  org_id uuid not null references organizations,
  id text not null,
  kind text not null check (kind in ('organization', 'user', 'enterprise')),
  login text not null,
  -- The source whose credentials read the bill.
  source_id text not null,
  -- The stored months: {"2026-03": {"at": "2026-03-18T07:12:00.000Z", "lastDay": "2026-03-17"}}
  months jsonb not null default '{}',
  created_at timestamptz not null,
  primary key (org_id, id)
);
create unique index bill_accounts_by_login on bill_accounts (org_id, kind, lower(login));

-- GitHub's answers by day, while their month can still change.
create table bill_account_days (
  org_id uuid not null,
  account_id text not null,
  day date not null,
  etag text,
  -- CSV without a heading.
  lines text not null,
  fetched_at timestamptz not null,
  primary key (org_id, account_id, day),
  foreign key (org_id, account_id) references bill_accounts on delete cascade
);

-- What was fetched, such as `organization acme 2026-03`; null for an imported file. A later fetch replaces the report.
alter table bill_reports add column fetched text;
create unique index bill_reports_by_fetched on bill_reports (org_id, fetched) where imported_at is not null;
alter table bill_reports drop constraint bill_reports_format_check;
alter table bill_reports add constraint bill_reports_format_check
  check (format in ('summarised', 'detailed', 'legacy', 'api'));
