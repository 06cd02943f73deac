-- Notes by people on one or more days: what explains a change of cost.
create table annotations (
  org_id uuid not null references organizations,
  id text not null,
  start_day date not null,
  end_day date not null,
  text text not null,
  scope jsonb,
  author text not null,
  member_id text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id),
  check (start_day <= end_day)
);
create index annotations_by_day on annotations (org_id, start_day);
