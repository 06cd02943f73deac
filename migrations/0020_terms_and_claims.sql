-- Until when a worker that reads larger runners at night keeps others from it. If it is killed, another one reads.
alter table hosted_runner_reads alter column tried_at drop not null, add column claimed_until timestamptz;

-- What the public projects of a GitLab namespace use of its compute minutes.
alter table billing_terms
  drop constraint billing_terms_included_draw_check,
  add check (included_draw in ('list_price_ratio', 'legacy_multipliers', 'open_source_program', 'open_source_forks'));
