-- Accounts that their provider reports as programs, such as GitHub's `type: Bot`. Only facts: what kind of actor an
-- attempt has is decided when somebody asks.
create table bot_accounts (
  org_id uuid not null references organizations,
  name text not null,
  primary key (org_id, name)
);

-- Which names are people, bots or agents, as an organization says. They come before the list that Runcost ships.
create table actor_patterns (
  org_id uuid not null references organizations,
  id text not null,
  pattern text not null,
  kind text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id)
);
create unique index actor_patterns_by_pattern on actor_patterns (org_id, lower(pattern));
