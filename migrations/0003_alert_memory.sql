-- Which shares of which amount have been told in which period:
-- [{"periodStart": "2026-03-01", "budgetNanos": "10000000000", "percentages": [50]}]. Periods from `told_since` on are told of.
alter table alerts rename column told_period_start to told_since;
alter table alerts add column told jsonb not null default '[]';
update alerts
set told = jsonb_build_array(jsonb_build_object(
  'periodStart', told_since::text, 'budgetNanos', told_budget_nanos::text, 'percentages', to_jsonb(told_percentages)))
where told_budget_nanos is not null;
alter table alerts drop column told_budget_nanos, drop column told_percentages;

create index alert_triggers_open on alert_triggers (org_id, alert_id) where resolved_at is null;

-- When the first message about it reached somebody: messages are not kept for ever.
alter table alert_triggers add column notified_at timestamptz;
update alert_triggers t
set notified_at = n.sent_at
from (select org_id, trigger_id, min(sent_at) as sent_at from notifications where status = 'sent' group by 1, 2) n
where n.org_id = t.org_id and n.trigger_id = t.id;

create index notifications_done on notifications (created_at) where status <> 'pending';
