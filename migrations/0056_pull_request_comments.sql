create table pull_request_settings (
  org_id uuid primary key references organizations,
  is_enabled boolean not null,
  -- In nano-dollars. Null: no limit.
  fail_above_nanos bigint,
  changed_at timestamptz not null
);

-- One comment and one check for each pull request.
create table pull_request_comments (
  org_id uuid not null references organizations,
  id text not null,
  provider text not null,
  repository text not null,
  number integer not null,
  -- The commit that gets the check.
  head_sha text,
  -- Counts the runs that ended, so that one that ends during the work is not missed.
  revision integer not null,
  status text not null check (status in ('due', 'written', 'failed')),
  due_at timestamptz not null,
  -- Failed ones since the last success.
  attempts integer not null,
  last_error text,
  -- Ids at the provider.
  source_id text,
  comment_id text,
  is_comment_deleted boolean not null,
  check_id text,
  check_sha text,
  -- Of what was written last.
  digest text,
  written_at timestamptz,
  created_at timestamptz not null,
  lease text,
  leased_until timestamptz,
  primary key (org_id, id),
  unique (org_id, provider, repository, number)
);
create index pull_request_comments_due on pull_request_comments (due_at) where status = 'due';
