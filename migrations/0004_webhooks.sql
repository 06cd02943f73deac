-- Bodies are kept for thirty days, what became of them for longer.
alter table events alter column body drop not null;
create index events_with_body on events (created_at) where body is not null;
create index events_by_time on events (created_at);

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
  last_delivery_status text check (last_delivery_status in ('pending', 'success', 'failed', 'held')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Gone for everybody from then on; its deliveries are cleared away piece by piece.
  deleted_at timestamptz,
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
  -- in_flight until it is known how it went; unknown where its sender died before it could say so.
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

-- Attempts of runs that have ended and are told to webhooks, each once, when their cost is final.
create table run_completions (
  org_id uuid not null,
  run_id text not null,
  attempt integer not null,
  conclusion text not null,
  started_at timestamptz,
  completed_at timestamptz not null,
  due_at timestamptz not null,
  told_at timestamptz,
  primary key (org_id, run_id, attempt)
);
create index run_completions_due on run_completions (due_at) where told_at is null;
create index run_completions_told on run_completions (told_at) where told_at is not null;
