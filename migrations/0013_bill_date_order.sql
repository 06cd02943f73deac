-- How a report's dates with slashes were read; null where it has none that could be read in two ways.
alter table bill_reports add column date_order text check (date_order in ('mdy', 'dmy'));
