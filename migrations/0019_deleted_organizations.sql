-- Gone for everybody from then on; its rows are removed piece by piece, this one last.
alter table organizations add column deleted_at timestamptz;
create index organizations_deleted on organizations (deleted_at) where deleted_at is not null;
