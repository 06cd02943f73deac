-- Until when a worker that reads pull requests at night keeps others from it. If it is killed, another one reads.
alter table pull_request_reads alter column tried_at drop not null, add column claimed_until timestamptz;

-- A claim knows of no problems yet.
alter table hosted_runner_reads alter column problems set default '[]';
