-- Where organizations have stored facts of jobs from the start, no older program may start: it cannot read them.
update migrations set needs = name
where name = '0065_job_facts.sql' and exists (
  select from information_schema.columns
  where (table_schema, table_name, column_name, column_default) =
    (current_schema(), 'organizations', 'stores_job_facts', 'true')
);
