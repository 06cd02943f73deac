-- Of people who are no members, but get emails of alerts and channels: for the link by which they stop them.
create table mail_addresses (
  org_id uuid not null references organizations,
  id text not null,
  -- In lower case.
  address text not null,
  unsubscribe_secret text not null,
  unsubscribed_at timestamptz,
  primary key (org_id, id)
);
create unique index mail_addresses_by_address on mail_addresses (org_id, address);
