-- What people know a run by at its provider.
alter table runs add column run_number integer, add column commit text;
