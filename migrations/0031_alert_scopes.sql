-- Which costs an alert watches, whom it notifies, and until when nobody is.
alter table alerts
  add column scope jsonb not null default '{"type": "organization"}',
  add column notify_chat boolean not null default true,
  add column recipients text[] not null default '{}',
  add column snoozed_until timestamptz,
  -- The organization's costs_version by which the shares of a branch's or team's budget were judged last.
  add column judged_costs_version bigint not null default 0;

-- Who looks after a trigger.
alter table alert_triggers
  add column acknowledged_at timestamptz,
  add column acknowledged_by text,
  add column acknowledged_note text;
