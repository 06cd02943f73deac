-- Needs programs from 0069: those of the former migrations, up to 0068, do not know this one.

-- Every table starts its primary key, unique indexes and foreign keys with org_id, so that any of them can be
-- split by organization. The application makes all ids. Money is nano-dollars in bigint, days are UTC.

-- platform: the installation

-- One row, from the first start on. It names this installation also if no key encrypts secrets yet.
create table installation (
  only_row boolean primary key default true check (only_row),
  -- Which master key this database's secrets are encrypted with.
  encryption_key_fingerprint text,
  -- Of the data folder: a folder that was copied has the same id in its tables and another place on the disk.
  folder_id uuid,
  -- While it is set, nothing leaves this installation by itself: no message, webhook, alert check or backfill.
  hold text check (hold in ('restored', 'copied', 'moved', 'moving')),
  hold_detail text,
  held_since timestamptz
);
insert into installation default values;

-- tenancy: organizations

create table organizations (
  org_id uuid primary key,
  name text not null,
  login text,
  plan text not null check (plan in ('free', 'pro', 'team')),
  -- A chat webhook's URL is a secret: whoever has it can post.
  chat_webhook_url bytea,
  chat_webhook_host text,
  chat_webhook_format text check (chat_webhook_format in ('slack', 'teams', 'discord', 'json')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Counts what has been recorded, so that budgets are checked when costs have come, and not otherwise.
  costs_version bigint not null default 0,
  costs_checked_version bigint not null default 0,
  -- The price list in use: one that comes with the program, or one of price_books.
  price_book_id text not null default 'github_2025',
  -- When somebody chose it; null while it is the default that nobody chose.
  price_book_chosen_at timestamptz,
  -- Gone for everybody from then on; its rows are removed piece by piece, this one last.
  deleted_at timestamptz,
  -- How the organization reads times and periods. Days of costs stay UTC days.
  time_zone text not null default 'UTC',
  fiscal_year_start_month integer not null default 1 check (fiscal_year_start_month between 1 and 12),
  week_start text not null default 'monday' check (week_start in ('monday', 'sunday')),
  -- How long runs are kept with their jobs; null keeps them forever. Runs created before `details_from` are
  -- removed, or about to be, and no report of them is recorded.
  run_retention_days integer check (run_retention_days >= 90),
  details_from date,
  -- Whether jobs refer to their facts in job_facts.
  stores_job_facts boolean not null default true
);
create index organizations_deleted on organizations (deleted_at) where deleted_at is not null;

-- tenancy: members, tokens and the audit log

create table members (
  org_id uuid not null references organizations,
  id text not null,
  email text not null,
  name text,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  alert_emails boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- In the unsubscribe links of alert mails, made for the first of them; a changed email address resets it.
  unsubscribe_secret text,
  -- When the member was last here, accurate to an hour: sessions are deleted when they end.
  last_seen_at timestamptz,
  primary key (org_id, id)
);
create unique index members_email on members (org_id, lower(email));
-- The organizations of a person.
create index members_by_email on members (lower(email));

create table tokens (
  org_id uuid not null references organizations,
  id text not null,
  -- Null: a service token, which belongs to no person.
  member_id text,
  name text not null,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  scopes text[] not null,
  secret_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  -- Accurate to five minutes.
  last_used_at timestamptz,
  -- When its holder was sent the email that it expires soon.
  expiry_warned_at timestamptz,
  primary key (org_id, id),
  foreign key (org_id, member_id) references members (org_id, id) on delete cascade
);
create index tokens_expiring on tokens (expires_at) where revoked_at is null and expiry_warned_at is null;

create table audit_entries (
  org_id uuid not null references organizations,
  -- Time-ordered, so that the primary key is the reading order too.
  id uuid not null,
  created_at timestamptz not null,
  actor text not null,
  action text not null,
  target text not null,
  details jsonb not null,
  primary key (org_id, id)
);

-- tenancy: sessions

-- Browsers that are signed in. A session has the rights of its token or member, and ends with it; with neither it came
-- from a code that the command line made, and is an owner's.
create table sessions (
  org_id uuid not null references organizations,
  id text not null,
  token_id text,
  secret_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- What shows a person which of their sessions is which: where it signed in from, and when it was last used.
  address text,
  last_seen_at timestamptz not null,
  member_id text,
  -- When to ask the identity provider again; null for sessions without one.
  check_at timestamptz,
  -- As the browser sent it, cut to 200 characters.
  user_agent text,
  -- The address that the person proved to have when signing in, by a link that only an email to it contained.
  proven_email text,
  -- Who vouches for the proven address: an issuer that an organization chose. Null: the server itself.
  proven_issuer text,
  -- The session that entered this organization, which may be another organization's. It has the cookie.
  root_org_id uuid,
  root_id text,
  primary key (org_id, id),
  foreign key (org_id, token_id) references tokens on delete cascade,
  foreign key (org_id, member_id) references members on delete cascade,
  check (token_id is null or member_id is null),
  check ((root_org_id is null) = (root_id is null))
);
create index sessions_by_token on sessions (org_id, token_id);
create index sessions_by_member on sessions (org_id, member_id);
create unique index sessions_by_root on sessions (org_id, root_org_id, root_id);
create index sessions_of_root on sessions (root_org_id, root_id) where root_id is not null;

-- Each signs in one browser, and is gone with it. Token and member are those of its session.
create table sign_in_codes (
  org_id uuid not null references organizations,
  id text not null,
  token_id text,
  secret_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  member_id text,
  primary key (org_id, id),
  foreign key (org_id, token_id) references tokens on delete cascade,
  foreign key (org_id, member_id) references members on delete cascade,
  check (token_id is null or member_id is null)
);
create index sign_in_codes_by_token on sign_in_codes (org_id, token_id);
create index sign_in_codes_by_member on sign_in_codes (org_id, member_id);

-- A row: members sign in by a provider only.
create table sign_in_policies (
  org_id uuid not null references organizations,
  is_required boolean not null,
  primary key (org_id)
);

-- tenancy: identity providers

-- Those that an organization's admins configured; others come from the environment.
create table identity_providers (
  org_id uuid not null references organizations,
  id text not null,
  kind text not null check (kind in ('oidc', 'github')),
  name text not null,
  -- The issuer of tokens, or GitHub's own address.
  issuer text not null,
  client_id text not null,
  client_secret bytea not null,
  allowed_domains text[] not null,
  default_role text check (default_role in ('viewer', 'member', 'admin', 'owner')),
  groups_claim text not null,
  group_roles jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id)
);

-- Who a member is at an issuer. Emails can change hands, subjects cannot.
create table member_identities (
  org_id uuid not null references organizations,
  issuer text not null,
  subject text not null,
  member_id text not null,
  created_at timestamptz not null,
  primary key (org_id, issuer, subject),
  foreign key (org_id, member_id) references members on delete cascade
);
create unique index member_identities_by_member on member_identities (org_id, member_id, issuer);

-- Sessions by a provider, with what asks it again and what signs out there.
create table identity_sessions (
  org_id uuid not null references organizations,
  session_id text not null,
  provider_id text not null,
  issuer text not null,
  subject text not null,
  refresh_token bytea,
  id_token bytea,
  primary key (org_id, session_id),
  foreign key (org_id, session_id) references sessions on delete cascade
);
create index identity_sessions_by_provider on identity_sessions (org_id, provider_id);

-- tenancy: invitations and share links

create table invitations (
  org_id uuid not null references organizations,
  id text not null,
  -- Null: for whoever has the link.
  email text,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  secret_hash bytea not null,
  -- Whether only an email to the address contained the link, so that it proves the address.
  is_mailed boolean not null,
  -- Who invited, as shown, and what ends the invitation when it ends.
  author text not null,
  member_id text,
  token_id text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz,
  -- Why the email with the link was not sent; null if it was, or none was asked for.
  mail_error text,
  primary key (org_id, id),
  foreign key (org_id, member_id) references members (org_id, id) on delete cascade
);
create index invitations_by_member on invitations (org_id, member_id);

-- Links that show one view of costs to whoever has them, until they expire.
create table share_links (
  org_id uuid not null references organizations,
  id text not null,
  secret_hash bytea not null,
  page text not null check (page in ('overview', 'explore')),
  chart text not null check (chart in ('bars', 'lines', 'treemap', 'heatmap')),
  query text not null,
  author text not null,
  member_id text,
  token_id text,
  created_at timestamptz not null,
  -- Null: never, for badges only.
  expires_at timestamptz,
  last_used_at timestamptz,
  -- A page of its own, a badge (an image with one amount), or an embed (the page within another site).
  kind text not null default 'link' check (kind in ('link', 'badge', 'embed')),
  -- Origins of the pages that may show an embed.
  sites text[] not null default '{}',
  -- What people call it.
  name text,
  primary key (org_id, id),
  check (expires_at is not null or kind = 'badge')
);

-- platform: background work

-- Long work that somebody asked for, done piece by piece by whichever worker has the lease. One that died leaves it to
-- the next, which goes on from `state`.
create table tasks (
  org_id uuid not null references organizations,
  id text not null,
  kind text not null,
  status text not null check (status in ('queued', 'running', 'done', 'failed', 'cancelled')),
  input jsonb not null,
  state jsonb not null,
  -- How far it has come, in units of its kind; no total until it is known.
  done bigint not null default 0,
  total bigint,
  error text,
  -- How often it was begun since it last made progress.
  starts integer not null default 0,
  due_at timestamptz not null,
  lease text,
  leased_until timestamptz,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  primary key (org_id, id)
);
create index tasks_due on tasks (kind, due_at) where status in ('queued', 'running');
create index tasks_by_kind on tasks (org_id, kind, created_at desc, id desc);

-- events

-- What has happened, word for word as webhooks send it. Bodies are kept for thirty days, rows for longer.
create table events (
  org_id uuid not null references organizations,
  id text not null,
  kind text not null,
  created_at timestamptz not null,
  body text,
  primary key (org_id, id)
);
create index events_with_body on events (created_at) where body is not null;
create index events_by_time on events (created_at);

-- ledger: prices

-- Price lists of organizations. Those deleted stay for the receipts of the jobs that were priced with them.
create table price_books (
  org_id uuid not null references organizations,
  id text not null,
  name text not null,
  based_on text,
  -- [{"runnerKind": "linux_2_core", "effectiveFrom": "2026-01-01", "nanosPerMinute": "6000000"}]
  prices jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (org_id, id)
);

-- Rules that come before the classification of runners: the first match by position decides.
create table price_rules (
  org_id uuid not null references organizations,
  id text not null,
  position integer not null,
  match text not null check (match in ('label', 'regex', 'runner_group')),
  pattern text not null,
  -- Either a kind of runner, priced by the price list, or a name with a rate of its own.
  runner_kind text,
  name text,
  nanos_per_minute bigint check (nanos_per_minute >= 0),
  rounding text check (rounding in ('minute', 'second')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id),
  check ((runner_kind is null) = (name is not null and nanos_per_minute is not null))
);

-- What an organization reckons that a minute costs on runners which nobody bills: never part of a cost.
create table shadow_rates (
  org_id uuid not null references organizations,
  runner_kind text not null,
  effective_from date not null,
  nanos_per_minute bigint not null check (nanos_per_minute >= 0),
  primary key (org_id, runner_kind, effective_from)
);

-- What a provider takes off its list prices, each from its first day until the next. Included minutes follow from
-- GitHub's plan or are a number; with neither there are none.
create table billing_terms (
  org_id uuid not null references organizations,
  provider text not null,
  effective_from date not null,
  included_plan text check (included_plan in ('free', 'pro', 'team', 'enterprise')),
  included_minutes integer check (included_minutes >= 0),
  -- In hundredths of a percent.
  discount integer not null check (discount between 0 and 10000),
  primary key (org_id, provider, effective_from)
);

-- What each job that a reprice changed cost before and after, so that it can be undone. `facts` is a digest of all
-- that the price depends on.
create table reprice_changes (
  org_id uuid not null references organizations,
  reprice_id text not null,
  run_id text not null,
  attempt integer not null,
  job_id text not null,
  facts text not null,
  before jsonb not null,
  after jsonb not null,
  primary key (org_id, reprice_id, run_id, attempt, job_id)
);

-- ledger: owners

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

-- ledger: runs and jobs

-- Runs, jobs and rollups have no foreign keys: their only writer holds the organization's row lock and writes
-- parents and children in one transaction, and a check per row would cost a third of the recording rate.

create table workflows (
  org_id uuid not null,
  id text not null,
  repository text not null,
  name text not null,
  -- Creation of the run that gave the name: the latest run's name is shown.
  named_at timestamptz not null,
  primary key (org_id, id)
);

create table runs (
  org_id uuid not null,
  id text not null,
  workflow_id text not null,
  provider text not null,
  repository text not null,
  is_private boolean,
  workflow_name text,
  workflow_path text,
  event text,
  branch text,
  actor text,
  -- What the provider's winning report of the run itself said; attempt 0 while only jobs have been reported.
  reported_attempt integer not null,
  reported_status text not null,
  reported_raw_conclusion text,
  reported_started_at timestamptz,
  reported_completed_at timestamptz,
  reported_at timestamptz not null,
  -- What follows from the report and the jobs.
  attempt integer not null,
  status text not null check (status in ('queued', 'in_progress', 'completed')),
  conclusion text check (conclusion in ('success', 'failure', 'cancelled', 'skipped')),
  raw_conclusion text,
  created_at timestamptz not null,
  started_at timestamptz,
  completed_at timestamptz,
  duration_seconds integer not null,
  cost_nanos bigint not null,
  -- The reports that decide one of its fields, if they are several or read from a trace. Null: one report of the
  -- provider itself decides them all, and says what the row says.
  reports jsonb,
  -- The number of the pull request that it is for, if its provider names one.
  pull_request integer,
  -- What people know it by at its provider.
  run_number integer,
  commit text,
  primary key (org_id, id)
);
-- Rows of one instant or pull request are few: PostgreSQL sorts them by their other keys, so the indexes need not
-- hold these, and equal keys are stored once.
create index runs_recent on runs (org_id, created_at);
create index runs_by_workflow on runs (org_id, workflow_id, created_at);
create index runs_by_pull_request on runs (org_id, pull_request) where pull_request is not null;

-- With `facts_id`, the columns that job_facts has too are empty. Jobs billed by the second keep `rounding` and
-- `runner_kind` for the index on them.
create table jobs (
  org_id uuid not null,
  run_id text not null,
  attempt integer not null,
  job_id text not null,
  name text,
  labels text[],
  runner_name text,
  runner_group text,
  status text not null check (status in ('queued', 'in_progress', 'completed')),
  raw_conclusion text,
  created_at timestamptz,
  started_at timestamptz,
  completed_at timestamptz,
  ran boolean,
  observed_at timestamptz not null,
  -- Repeated by a re-run of failed jobs with an earlier attempt's times: paid there, not here.
  is_carried_over boolean not null,
  runner_kind text,
  runner_rule text,
  billed_minutes integer not null,
  nanos_per_minute bigint,
  cost_nanos bigint not null,
  is_unpriced boolean,
  flags text[],
  -- With which prices it was priced, so that its receipt can say so.
  rounding text default 'minute' check (rounding in ('minute', 'second')),
  price_book_id text default 'github_2025',
  price_rule_id text,
  -- As for runs.
  reports jsonb,
  facts_id bigint,
  primary key (org_id, run_id, attempt, job_id)
);
-- For exports, new prices, waste and bills, which read days.
create index jobs_by_completion on jobs (org_id, completed_at) where completed_at is not null;
-- Rollups know minutes alone: these few jobs of runners that are billed by the minute were priced by the second.
create index jobs_by_second on jobs (org_id, completed_at)
  where rounding = 'second' and runner_kind ~ '^(linux|windows|macos)_';
create index jobs_without_facts on jobs (org_id) where labels is not null;

-- What many jobs of an organization share, once: nearly half of a job's row. `id` is a digest of the other columns,
-- and a row never changes.
create table job_facts (
  org_id uuid not null,
  id bigint not null,
  labels text[] not null,
  runner_group text,
  raw_conclusion text,
  ran boolean,
  runner_kind text,
  runner_rule text not null,
  nanos_per_minute bigint not null,
  rounding text not null,
  price_book_id text not null,
  price_rule_id text,
  is_unpriced boolean not null,
  flags text[] not null,
  primary key (org_id, id)
);

-- A job with its facts, wherever they are stored: a job with labels has its own. If no fact is asked for, PostgreSQL
-- leaves the join out.
create view recorded_jobs as
select
  j.org_id, j.run_id, j.attempt, j.job_id, j.name, j.runner_name, j.status, j.created_at, j.started_at, j.completed_at,
  j.observed_at, j.is_carried_over, j.billed_minutes, j.cost_nanos, j.reports,
  case when j.labels is not null then j.labels else f.labels end as labels,
  case when j.labels is not null then j.runner_group else f.runner_group end as runner_group,
  case when j.labels is not null then j.raw_conclusion else f.raw_conclusion end as raw_conclusion,
  case when j.labels is not null then j.ran else f.ran end as ran,
  case when j.labels is not null then j.runner_kind else f.runner_kind end as runner_kind,
  case when j.labels is not null then j.runner_rule else f.runner_rule end as runner_rule,
  case when j.labels is not null then j.nanos_per_minute else f.nanos_per_minute end as nanos_per_minute,
  case when j.labels is not null then j.rounding else f.rounding end as rounding,
  case when j.labels is not null then j.price_book_id else f.price_book_id end as price_book_id,
  case when j.labels is not null then j.price_rule_id else f.price_rule_id end as price_rule_id,
  case when j.labels is not null then j.is_unpriced else f.is_unpriced end as is_unpriced,
  case when j.labels is not null then j.flags else f.flags end as flags
from jobs j
left join job_facts f on f.org_id = j.org_id and f.id = j.facts_id;

-- Attempts of runs that have ended and are announced to webhooks, each once, when their cost is final.
create table run_completions (
  org_id uuid not null,
  run_id text not null,
  attempt integer not null,
  conclusion text not null,
  started_at timestamptz,
  completed_at timestamptz not null,
  due_at timestamptz not null,
  announced_at timestamptz,
  primary key (org_id, run_id, attempt)
);
create index run_completions_due on run_completions (due_at) where announced_at is null;
create index run_completions_announced on run_completions (announced_at) where announced_at is not null;

-- A report can name a run without saying when that was created, and must not count it twice.
create table removed_runs (
  org_id uuid not null references organizations,
  id text not null,
  primary key (org_id, id)
);

-- ledger: rollups

-- What the dashboard reads. Recording adds the difference that each change makes.
-- Costs, jobs and minutes stand on the day a job completed; runs on the day the run was created.

create table workflow_days (
  org_id uuid not null,
  day date not null,
  workflow_id text not null,
  cost_nanos bigint not null,
  jobs bigint not null,
  billed_minutes bigint not null,
  unpriced_minutes bigint not null,
  runs bigint not null,
  completed_runs bigint not null,
  skipped_runs bigint not null,
  successful_runs bigint not null,
  duration_seconds bigint not null,
  -- Changes with each change of the outcomes of the runs that were created on the day.
  version uuid not null default '00000000-0000-0000-0000-000000000000',
  primary key (org_id, day, workflow_id)
) with (fillfactor = 70);

create table organization_days (
  org_id uuid not null,
  day date not null,
  cost_nanos bigint not null,
  jobs bigint not null,
  billed_minutes bigint not null,
  unpriced_minutes bigint not null,
  runs bigint not null,
  completed_runs bigint not null,
  skipped_runs bigint not null,
  successful_runs bigint not null,
  duration_seconds bigint not null,
  -- Changes with each change of what a cost query reads of the day, so that readers know whether what they kept is
  -- current.
  version uuid not null default gen_random_uuid(),
  primary key (org_id, day)
) with (fillfactor = 70);

create table unpriced_days (
  org_id uuid not null,
  day date not null,
  -- Digest of the labels and the group: together they can be more text than an index takes.
  runner text not null,
  labels text[] not null,
  runner_group text,
  jobs bigint not null,
  minutes bigint not null,
  primary key (org_id, day, runner)
) with (fillfactor = 70);

-- Explains why a cost rose: more jobs, longer ones, more expensive runners. Net cost by workflow is computed from these
-- sums, so they have what decides on discounts.
create table runner_days (
  org_id uuid not null,
  day date not null,
  workflow_id text not null,
  provider text not null,
  runner_kind text not null,
  is_free boolean not null,
  jobs bigint not null,
  minutes bigint not null,
  cost_nanos bigint not null,
  primary key (org_id, day, workflow_id, provider, runner_kind, is_free)
) with (fillfactor = 70);

-- What a day's jobs come to by what decides their discounts. `is_free`: the provider bills no standard runner of these
-- runs, because the repository is public or the workflow is its own.
create table charge_days (
  org_id uuid not null,
  day date not null,
  provider text not null,
  runner_kind text not null,
  is_free boolean not null,
  jobs bigint not null,
  minutes bigint not null,
  cost_nanos bigint not null,
  primary key (org_id, day, provider, runner_kind, is_free)
) with (fillfactor = 70);

-- ledger: columns of days

-- What a cost query reads: the jobs and runs of a day by column, compressed. The first query of a changed day makes
-- them, so recording pays nothing for it. Rows of another version than the day's are out of date.
create table day_columns (
  org_id uuid not null references organizations,
  facts text not null check (facts in ('jobs', 'runs')),
  name text not null,
  day date not null,
  version uuid not null,
  data bytea not null,
  primary key (org_id, facts, name, day),
  foreign key (org_id, day) references organization_days (org_id, day) on delete cascade
);
create index day_columns_by_day on day_columns (org_id, day);
-- Compressed already.
alter table day_columns alter column data set storage external;

-- What cost queries read of removed jobs and runs. Rows are added and never changed: nothing can make them again.
create table kept_columns (
  org_id uuid not null references organizations,
  facts text not null check (facts in ('jobs', 'runs')),
  day date not null,
  part integer not null,
  name text not null,
  rows integer not null,
  data bytea not null,
  primary key (org_id, facts, day, part, name),
  foreign key (org_id, day) references organization_days (org_id, day)
);
alter table kept_columns alter column data set storage external;

-- intake: sources

-- The program's list of providers says which kinds there are: another one needs no migration.
create table sources (
  org_id uuid not null references organizations,
  id text not null,
  kind text not null,
  name text not null,
  secret bytea not null,
  created_at timestamptz not null,
  last_event_at timestamptz,
  primary key (org_id, id)
);

-- What a source reads its provider's API with, to bring in history and fix missed deliveries.
create table source_credentials (
  org_id uuid not null,
  source_id text not null,
  kind text not null check (kind in ('token', 'app')),
  -- Sealed.
  secret bytea not null,
  -- What may be shown of it.
  hint text not null,
  set_by text not null,
  set_at timestamptz not null,
  -- When the last nightly check was begun.
  checked_at timestamptz,
  -- If GitHub cannot reach this server, the source asks for new runs every few minutes.
  is_polled boolean not null default false,
  primary key (org_id, source_id),
  foreign key (org_id, source_id) references sources on delete cascade
);

-- The runs that the provider has listed, and what was known of each before: how complete the deliveries were.
create table listed_runs (
  org_id uuid not null references organizations,
  run_id text not null,
  repository text not null,
  -- On which it was created.
  day date not null,
  -- Unread: the provider lists it, but does not let it be read, so what was known of it is not clear yet.
  found text not null check (found in ('whole', 'lacking', 'missing', 'unread')),
  -- Of the list of its jobs as it was recorded, to ask only for what has changed since.
  jobs_etag text,
  listed_at timestamptz not null,
  primary key (org_id, run_id)
);
create index listed_runs_by_day on listed_runs (org_id, day, repository);
create index listed_runs_by_age on listed_runs (listed_at);

-- GitHub Apps that people create from here. A row without `app_id` waits for GitHub to send them back with a code.
create table github_apps (
  org_id uuid not null references organizations,
  source_id text not null,
  -- The one-time proof that the same person comes back.
  state_hash bytea,
  is_reachable boolean not null,
  started_by text not null,
  started_at timestamptz not null,
  app_id text,
  page_url text,
  -- Sealed; only until the App is installed.
  private_key bytea,
  primary key (org_id, source_id)
);

-- insight: notes and views

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

-- Questions of cost that people keep, for themselves or for everybody.
create table saved_views (
  org_id uuid not null references organizations,
  id text not null,
  name text not null,
  query text not null,
  is_shared boolean not null,
  author text not null,
  member_id text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id)
);

-- insight: waste

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

-- The runs of a workflow that were created on a day and whose waste is summed up, with the versions of that day and of
-- the next: a newer run supersedes one from the day before. With other versions the sums are out of date.
create table waste_units (
  org_id uuid not null,
  day date not null,
  workflow_id text not null,
  version uuid not null,
  next_version uuid,
  -- Whether a job ended after the day.
  reads_next boolean not null,
  primary key (org_id, day, workflow_id),
  foreign key (org_id, day, workflow_id) references workflow_days (org_id, day, workflow_id) on delete cascade
);

-- Their jobs' cost, time and number by category, on the day of completion.
create table waste_days (
  org_id uuid not null,
  day date not null,
  workflow_id text not null,
  created_on date not null,
  rounding_nanos bigint not null,
  rounding_ms bigint not null,
  rounding_jobs bigint not null,
  failed_nanos bigint not null,
  failed_ms bigint not null,
  failed_jobs bigint not null,
  superseded_nanos bigint not null,
  superseded_ms bigint not null,
  superseded_jobs bigint not null,
  rerun_nanos bigint not null,
  rerun_ms bigint not null,
  rerun_jobs bigint not null,
  useful_nanos bigint not null,
  useful_ms bigint not null,
  useful_jobs bigint not null,
  skipped_jobs bigint not null,
  waited_ms bigint not null,
  primary key (org_id, day, workflow_id, created_on),
  foreign key (org_id, created_on, workflow_id) references waste_units (org_id, day, workflow_id) on delete cascade
);
create index waste_days_by_unit on waste_days (org_id, created_on, workflow_id);

-- The same by job name and outcome, for suggestions. Names beyond the first 500 of a unit are empty.
create table waste_jobs (
  org_id uuid not null,
  workflow_id text not null,
  day date not null,
  created_on date not null,
  part integer not null,
  provider text not null,
  name text not null,
  raw_conclusion text,
  is_repeated boolean not null,
  succeeded_later boolean not null,
  is_overtaken boolean not null,
  is_push boolean not null,
  is_billed boolean not null,
  jobs bigint not null,
  rounded_jobs bigint not null,
  cost_nanos bigint not null,
  time_nanos bigint not null,
  late_nanos bigint not null,
  billed_ms bigint not null,
  time_ms bigint not null,
  late_ms bigint not null,
  waiting_jobs bigint not null,
  waited_ms bigint not null,
  mergeable_jobs bigint not null,
  merge_nanos bigint not null,
  merged_ms bigint not null,
  longest_ms bigint not null,
  nanos_per_minute bigint not null,
  primary key (org_id, workflow_id, day, created_on, part),
  foreign key (org_id, created_on, workflow_id) references waste_units (org_id, day, workflow_id) on delete cascade
);
create index waste_jobs_by_unit on waste_jobs (org_id, created_on, workflow_id);

-- insight: bills

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
  -- How dates with slashes were read; null if it has none that could be read in two ways.
  date_order text check (date_order in ('mdy', 'dmy')),
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
  -- `owner/name`, the bare name if the report names no owner, or nothing.
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

-- insight: exports

-- The files of exports, in parts, so that any process can go on writing one and any can serve it. An export itself is a
-- task.
create table export_chunks (
  org_id uuid not null,
  export_id text not null,
  number integer not null,
  start_byte bigint not null,
  bytes bytea not null,
  -- Of a Parquet file: what its end will say of the rows that begin with this part.
  row_group bytea,
  primary key (org_id, export_id, number),
  foreign key (org_id, export_id) references tasks (org_id, id)
);
-- One row an export that still has a file: parts are removed from the last to the first.
create index export_chunks_first on export_chunks (org_id, export_id) where number = 0;

-- Exports of each day, week or month, uploaded to a storage of the organization.
create table scheduled_exports (
  org_id uuid not null references organizations,
  id text not null,
  dataset text not null,
  format text not null,
  frequency text not null check (frequency in ('daily', 'weekly', 'monthly')),
  endpoint text not null,
  region text not null,
  bucket text not null,
  prefix text not null,
  access_key_id text not null,
  -- Encrypted.
  secret_access_key bytea not null,
  path_style boolean not null,
  enabled boolean not null,
  -- The first day that has no upload yet.
  next_start date not null,
  next_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id)
);
create index scheduled_exports_due on scheduled_exports (next_at) where enabled;

-- outreach: alerts

create table alerts (
  org_id uuid not null references organizations,
  id uuid not null,
  name text not null,
  -- Which types there are is listed once, in the program.
  alert_type text not null,
  -- US dollars for budgets, percent for anomalies; in billionths.
  threshold_nanos bigint not null check (threshold_nanos > 0),
  check_frequency text not null check (check_frequency in ('daily', 'weekly', 'monthly')),
  period text not null check (period in ('day', 'week', 'month')),
  notify_email boolean not null,
  enabled boolean not null,
  state text not null check (state in ('ok', 'triggered', 'insufficient_data')),
  last_triggered_at timestamptz,
  next_check_at timestamptz not null,
  -- Only shares of this period and later ones are announced.
  announced_since date,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Which shares of which amount a budget has announced in which period:
  -- [{"periodStart": "2026-03-01", "budgetNanos": "10000000000", "percentages": [50]}]
  announced jsonb not null default '[]',
  -- Which costs it watches, whom it notifies, and until when nobody is.
  scope jsonb not null default '{"type": "organization"}',
  notify_chat boolean not null default true,
  recipients text[] not null default '{}',
  snoozed_until timestamptz,
  -- The organization's costs_version by which the shares of a branch's or team's budget were judged last.
  judged_costs_version bigint not null default 0,
  primary key (org_id, id)
);
create index alerts_due on alerts (next_check_at) where enabled;

create table alert_triggers (
  org_id uuid not null,
  id text not null,
  alert_id uuid not null,
  triggered_at timestamptz not null,
  current_nanos bigint not null,
  threshold_nanos bigint not null,
  observed_nanos bigint not null,
  -- Null for budgets.
  baseline_nanos bigint,
  period_start date not null,
  period_end date not null,
  explanation jsonb not null,
  resolved_at timestamptz,
  resolution text,
  -- When the first message about it reached somebody: messages are not kept forever.
  notified_at timestamptz,
  -- What the alert was when it triggered: it may have been changed since.
  alert_type text not null,
  scope jsonb not null,
  -- Who looks after it.
  acknowledged_at timestamptz,
  acknowledged_by text,
  acknowledged_note text,
  primary key (org_id, id),
  foreign key (org_id, alert_id) references alerts on delete cascade
);
create index alert_triggers_by_alert on alert_triggers (org_id, alert_id, triggered_at desc, id desc);
create index alert_triggers_open on alert_triggers (org_id, alert_id) where resolved_at is null;

-- outreach: notifications

-- Messages to people: written with what caused them, sent afterwards.
create table notifications (
  org_id uuid not null references organizations,
  id text not null,
  -- Null if the message is not about an alert.
  trigger_id text,
  channel text not null check (channel in ('email', 'chat')),
  -- An email address; empty for the organization's chat.
  recipient text not null,
  notice jsonb not null,
  status text not null check (status in ('pending', 'sent', 'failed')),
  attempts integer not null,
  due_at timestamptz not null,
  -- Who is sending it, until when; a sender that died leaves it to the next.
  lease text,
  leased_until timestamptz,
  last_error text,
  created_at timestamptz not null,
  sent_at timestamptz,
  primary key (org_id, id)
);
create index notifications_due on notifications (due_at) where status = 'pending';
create index notifications_by_trigger on notifications (org_id, trigger_id);
create index notifications_done on notifications (created_at) where status <> 'pending';

-- outreach: digests

-- What CI cost in the last week or month, sent by email and chat.
create table digests (
  org_id uuid not null references organizations,
  id text not null,
  frequency text not null check (frequency in ('weekly', 'monthly')),
  -- Null: all costs of the organization.
  team text,
  -- Who gets it and manages it; null for a digest that admins manage.
  member_id text,
  chat boolean not null,
  enabled boolean not null,
  -- Periods that were over before are not sent.
  active_since timestamptz not null,
  next_at timestamptz not null,
  -- The time zone and the first weekday that next_at was computed with.
  calendar text not null,
  -- The last day of the latest period that was planned.
  sent_until date,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id),
  foreign key (org_id, member_id) references members (org_id, id) on delete cascade
);
create index digests_by_member on digests (org_id, member_id);
create index digests_due on digests (next_at) where enabled;

create table digest_recipients (
  org_id uuid not null references organizations,
  id text not null,
  digest_id text not null,
  -- A member, whose address may change, or an address.
  member_id text,
  email text,
  unsubscribe_secret text not null,
  unsubscribed_at timestamptz,
  primary key (org_id, id),
  check ((member_id is null) <> (email is null)),
  foreign key (org_id, digest_id) references digests (org_id, id) on delete cascade,
  foreign key (org_id, member_id) references members (org_id, id) on delete cascade
);
create index digest_recipients_by_digest on digest_recipients (org_id, digest_id);
create index digest_recipients_by_member on digest_recipients (org_id, member_id);

-- One for each period and recipient, written with its notification, so that none is sent twice.
create table digest_sendings (
  org_id uuid not null references organizations,
  digest_id text not null,
  period_start date not null,
  period_end date not null,
  -- The recipient's id, or `chat`.
  recipient text not null,
  notification_id text not null,
  planned_at timestamptz not null,
  primary key (org_id, digest_id, period_start, period_end, recipient),
  foreign key (org_id, digest_id) references digests (org_id, id) on delete cascade
);

-- outreach: webhooks

create table webhooks (
  org_id uuid not null references organizations,
  id text not null,
  url text not null,
  events text[] not null,
  status text not null check (status in ('active', 'paused', 'failing')),
  -- Sealed. While a secret is being rotated, the next one signs beside it, and takes its place at `promote_at`.
  secret bytea not null,
  secret_prefix text not null,
  next_secret bytea,
  next_secret_prefix text,
  promote_at timestamptz,
  failing_since timestamptz,
  last_delivery_at timestamptz,
  -- A failed attempt makes it `failed`, also while retries are to come.
  last_delivery_status text check (last_delivery_status in ('pending', 'success', 'failed', 'held')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Gone for everybody from then on; its deliveries are cleared away piece by piece.
  deleted_at timestamptz,
  -- What the latest attempt was answered; null if there was no answer.
  last_response_code integer,
  -- What people call it.
  name text,
  primary key (org_id, id)
);

-- One event on its way to one webhook.
create table deliveries (
  org_id uuid not null,
  id text not null,
  webhook_id text not null,
  event_id text not null,
  event text not null,
  status text not null check (status in ('pending', 'success', 'failed', 'held')),
  created_at timestamptz not null,
  -- How many of the five automatic attempts have failed or succeeded, and when the next one is due.
  automatic_attempts integer not null default 0,
  due_at timestamptz,
  -- When an attempt asked for by hand is due; it does not count among the five.
  resend_at timestamptz,
  next_at timestamptz generated always as (least(due_at, resend_at)) stored,
  -- All attempts, also those whose outcome nobody knows.
  attempts integer not null default 0,
  -- Who is sending it, until when; a sender that died leaves it to the next.
  lease text,
  leased_until timestamptz,
  -- Of the latest attempt with an outcome.
  response_code integer,
  response_time_ms integer,
  error_class text,
  delivered_at timestamptz,
  primary key (org_id, id),
  foreign key (org_id, webhook_id) references webhooks,
  foreign key (org_id, event_id) references events on delete cascade
);
create index deliveries_due on deliveries (org_id, webhook_id, next_at) where next_at is not null;
create index deliveries_under_way on deliveries (org_id, webhook_id) where lease is not null;
create index deliveries_by_webhook on deliveries (org_id, webhook_id, created_at desc, id desc);
create index deliveries_held on deliveries (org_id, webhook_id, created_at, id) where status = 'held';
create index deliveries_by_event on deliveries (org_id, event_id);

create table delivery_attempts (
  org_id uuid not null,
  delivery_id text not null,
  number integer not null,
  -- By the schedule, or asked for by hand.
  reason text not null check (reason in ('schedule', 'resend')),
  -- in_flight until it is known how it went; unknown if its sender died before it could say so.
  outcome text not null check (outcome in ('in_flight', 'success', 'failure', 'unknown')),
  started_at timestamptz not null,
  ended_at timestamptz,
  url text not null,
  response_code integer,
  -- Why there was no answer, or why an answer counts as a failure: one of a closed list.
  error_class text,
  message text,
  dns_ms integer,
  connect_ms integer,
  tls_ms integer,
  first_byte_ms integer,
  total_ms integer,
  response_body bytea,
  response_truncated boolean,
  primary key (org_id, delivery_id, number),
  foreign key (org_id, delivery_id) references deliveries on delete cascade
);

-- Deliveries that are sent again in bulk, some a second.
create table resends (
  org_id uuid not null,
  id text not null,
  webhook_id text not null,
  status text not null check (status in ('running', 'done', 'cancelled')),
  -- Which deliveries: of these states and events, created in [since, until).
  statuses text[] not null,
  events text[] not null,
  since timestamptz not null,
  until timestamptz not null,
  -- The delivery it has come to, oldest first; null before the first.
  cursor_created_at timestamptz,
  cursor_id text,
  total bigint not null,
  resent bigint not null default 0,
  created_at timestamptz not null,
  ended_at timestamptz,
  primary key (org_id, id),
  foreign key (org_id, webhook_id) references webhooks
);
create index resends_running on resends (org_id, webhook_id) where status = 'running';

-- outreach: comments on pull requests

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
  -- When the run of head_sha was created: an older run that ends later does not move the check back. Null: not known.
  head_created_at timestamptz,
  -- Why the comment has no estimate of changed workflow files. Null: it has one, or needs none.
  note text,
  primary key (org_id, id),
  unique (org_id, provider, repository, number)
);
create index pull_request_comments_due on pull_request_comments (due_at) where status = 'due';

-- Runs of pull requests from forks, whose number GitHub's events do not have: it is asked for.
create table pull_request_searches (
  org_id uuid not null references organizations,
  id text not null,
  provider text not null,
  repository text not null,
  -- The provider's id.
  run_id text not null,
  head_repository text not null,
  head_branch text not null,
  head_sha text,
  -- Of the App that got the event.
  installation_id text not null,
  -- Of the run.
  created_at timestamptz not null,
  due_at timestamptz not null,
  attempts integer not null,
  lease text,
  leased_until timestamptz,
  primary key (org_id, id),
  unique (org_id, provider, repository, run_id)
);
create index pull_request_searches_due on pull_request_searches (due_at);
