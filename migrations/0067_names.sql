-- What people call them. The previous version shows and gives no names.
alter table webhooks add column name text;
alter table share_links add column name text;
