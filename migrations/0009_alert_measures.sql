-- What an alert adds up: list cost, net cost, or the share of the month's included minutes. A trigger keeps the
-- measure that its alert had.
alter table alerts add column measure text not null default 'list_cost';
alter table alert_triggers add column measure text not null default 'list_cost';
