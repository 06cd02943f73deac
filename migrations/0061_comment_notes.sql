-- Why the comment has no estimate of changed workflow files. Null: it has one, or needs none.
alter table pull_request_comments add column note text;
