-- How an organization reads times and periods. Days of costs stay UTC days.
alter table organizations
  add column time_zone text not null default 'UTC',
  add column fiscal_year_start_month integer not null default 1 check (fiscal_year_start_month between 1 and 12),
  add column week_start text not null default 'monday' check (week_start in ('monday', 'sunday'));
