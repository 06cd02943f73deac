-- The rates of a rule that follow its first one, by their first day: {"2026-09-01": "1250000"}.
alter table price_rules add column later_rates jsonb;
