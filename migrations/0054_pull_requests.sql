-- The runs of one pull request, for the comment on it.
create index runs_by_pull_request on runs (org_id, pull_request, created_at) where pull_request is not null;
