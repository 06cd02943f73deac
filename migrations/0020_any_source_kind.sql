-- The program's list of providers says which kinds of sources there are: another one needs no migration.
alter table sources drop constraint sources_kind_check;
