-- What the fix would have saved a month, when somebody marked it as done. Null for older decisions and dismissed fixes.
alter table waste_decisions add column promised_nanos bigint;
