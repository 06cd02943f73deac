-- The word for what was sent to receivers is "announced".
alter table run_completions rename column told_at to announced_at;
alter index run_completions_told rename to run_completions_announced;
