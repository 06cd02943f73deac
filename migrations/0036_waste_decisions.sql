-- What people decided about the waste of a workflow in a category: they stopped it, or it stays.
create table waste_decisions (
  org_id uuid not null references organizations,
  workflow_id text not null,
  category text not null,
  status text not null check (status in ('done', 'dismissed')),
  reason text,
  author text not null,
  member_id text,
  decided_at timestamptz not null,
  primary key (org_id, workflow_id, category)
);
