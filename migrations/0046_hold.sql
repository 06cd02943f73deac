-- The row names this installation from the first start on, also where no key encrypts secrets yet.
alter table installation
  alter column encryption_key_fingerprint drop not null,
  -- Of the data folder: a folder that was copied has the same id in its tables and another place on the disk.
  add column folder_id uuid,
  -- While it is set, nothing leaves this installation by itself: no message, webhook, alert check or backfill.
  add column hold text check (hold in ('restored', 'copied', 'moved', 'moving')),
  add column hold_detail text,
  add column held_since timestamptz;

insert into installation default values on conflict do nothing;
