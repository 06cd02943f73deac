-- GitHub's usage reports. One without `imported_at` is being read, or was left half-read, and counts for nothing.
create table bill_reports (
  org_id uuid not null references organizations,
  id text not null,
  -- Of the file's bytes: the same file is the same report.
  sha256 text not null,
  file_name text not null,
  bytes bigint not null,
  format text not null check (format in ('summarised', 'detailed', 'legacy')),
  lines_read integer not null default 0,
  lines_kept integer not null default 0,
  lines_skipped integer not null default 0,
  -- Lines with an amount of more than nine decimals.
  lines_rounded integer not null default 0,
  -- The first hundred: [{"line": 7, "reason": "…"}]
  bad_lines jsonb not null default '[]',
  first_day date,
  last_day date,
  created_at timestamptz not null,
  -- When the reader was last seen at work.
  touched_at timestamptz not null,
  imported_at timestamptz,
  primary key (org_id, id)
);
create unique index bill_reports_by_content on bill_reports (org_id, sha256) where imported_at is not null;
create index bill_reports_left on bill_reports (touched_at) where imported_at is null;

-- What a report says of each product, also of those that Runcost does not compare. Organizations are in lower case.
create table bill_products (
  org_id uuid not null,
  report_id text not null,
  organization text not null,
  product text not null,
  unit text not null,
  first_day date not null,
  last_day date not null,
  lines integer not null,
  -- Billionths of the unit.
  quantity_nanos bigint not null,
  gross_nanos bigint not null,
  discount_nanos bigint not null,
  net_nanos bigint not null,
  primary key (org_id, report_id, organization, product, unit),
  foreign key (org_id, report_id) references bill_reports on delete cascade
);

-- The report's lines, added up over users and cost centers.
create table bill_lines (
  org_id uuid not null,
  report_id text not null,
  day date not null,
  product text not null,
  sku text not null,
  unit text not null,
  organization text not null,
  -- `owner/name`, the bare name where the report names no owner, or nothing.
  repository text not null,
  workflow_path text not null,
  lines integer not null,
  quantity_nanos bigint not null,
  -- Quantity times unit price, before the report's own rounding of `gross_nanos`.
  list_nanos bigint not null,
  gross_nanos bigint not null,
  discount_nanos bigint not null,
  net_nanos bigint not null,
  primary key (org_id, report_id, day, product, sku, unit, organization, repository, workflow_path),
  foreign key (org_id, report_id) references bill_reports on delete cascade
);
