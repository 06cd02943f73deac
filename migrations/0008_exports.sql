-- The files of exports, in parts, so that any process can go on writing one and any can serve it. An export itself is a
-- task.
create table export_chunks (
  org_id uuid not null,
  export_id text not null,
  number integer not null,
  start_byte bigint not null,
  bytes bytea not null,
  -- Of a Parquet file: what its end will say of the rows that begin with this part.
  row_group bytea,
  primary key (org_id, export_id, number),
  foreign key (org_id, export_id) references tasks (org_id, id)
);
-- One row an export that still has a file: parts are removed from the last to the first.
create index export_chunks_first on export_chunks (org_id, export_id) where number = 0;
