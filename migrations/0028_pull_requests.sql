-- The number of the pull request that a run is for, where its provider names one.
alter table runs add column pull_request integer;
