-- Who owns what ran: the first rule that matches a job decides, for teams and for cost centers each. Rules that people
-- wrote come first. A pattern that is null matches anything.
create table ownership_rules (
  org_id uuid not null references organizations,
  id text not null,
  source text not null check (source in ('manual', 'custom_properties', 'codeowners')),
  position integer not null,
  kind text not null check (kind in ('team', 'cost_center')),
  owner text not null,
  repository text,
  workflow text,
  label text,
  valid_from date,
  valid_until date,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id),
  check (num_nonnulls(repository, workflow, label) > 0),
  check (valid_from <= valid_until)
);
