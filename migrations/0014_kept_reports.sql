-- The reports of a run or job that decide one of its fields, where they are several or read from a trace. Null: one
-- report of the provider itself decides them all, and says what the row says.
alter table runs add column reports jsonb;
alter table jobs add column reports jsonb;
