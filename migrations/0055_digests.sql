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
