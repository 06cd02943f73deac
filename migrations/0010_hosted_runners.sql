-- What GitHub lists about the larger runners of an organization or enterprise. A runner whose facts change gets another
-- row, so that jobs of earlier days keep the facts of their day.
create table hosted_runners (
  org_id uuid not null references organizations,
  -- As GitHub names it, in lower case: `acme`, or `enterprises/acme`.
  owner text not null,
  -- In lower case; it is the label of the runner.
  name text not null,
  first_day date not null,
  platform text not null,
  size text not null,
  cores integer not null,
  image text,
  read_at timestamptz not null,
  primary key (org_id, owner, name, first_day)
);

create table hosted_runner_reads (
  org_id uuid primary key references organizations,
  enterprise text,
  tried_at timestamptz not null,
  -- Of the last try: `[{ "owner": …, "message": … }]`.
  problems jsonb not null
);
