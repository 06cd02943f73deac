-- Where messages go. The chat webhook of an organization becomes its channel named `default`; the columns
-- organizations.chat_webhook_… stay for programs from before.
create table channels (
  org_id uuid not null references organizations,
  id text not null,
  name text not null,
  kind text not null,
  -- The value of each field; of a secret one, the part that people may see.
  settings jsonb not null,
  -- The secret fields, encrypted, in hex.
  secrets jsonb not null,
  teams text[] not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id)
);
create unique index channels_by_name on channels (org_id, lower(name));

insert into channels (org_id, id, name, kind, settings, secrets, created_at, updated_at)
select
  org_id, 'chn_' || left(md5(org_id::text), 20), 'default',
  case chat_webhook_format when 'json' then 'webhook' else chat_webhook_format end,
  jsonb_build_object('url', chat_webhook_host || '/…'),
  jsonb_build_object('url', encode(chat_webhook_url, 'hex')),
  updated_at, updated_at
from organizations
where chat_webhook_url is not null and chat_webhook_host is not null and chat_webhook_format is not null
  and deleted_at is null;

alter table alerts add column channel_ids text[] not null default '{}';
alter table digests add column channel_ids text[] not null default '{}';

-- The channel of a message; null for an email to a member or a recipient, and for messages to the chat webhook that an
-- earlier program queued.
alter table notifications add column channel_id text;
