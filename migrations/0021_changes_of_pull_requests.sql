-- What a pull request changed, once it ended: documentation, other, or unknown if it has too many files. Null until it
-- is read.
alter table pull_requests add column changes text;
