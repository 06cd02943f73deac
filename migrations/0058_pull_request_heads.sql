-- When the run of head_sha was created: an older run that ends later does not move the check back. Null: not known.
alter table pull_request_comments add column head_created_at timestamptz;
