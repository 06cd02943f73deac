alter table tokens
  -- Accurate to five minutes.
  add column last_used_at timestamptz,
  -- When its holder was sent the email that it expires soon.
  add column expiry_warned_at timestamptz;
create index tokens_expiring on tokens (expires_at) where revoked_at is null and expiry_warned_at is null;

-- Null where the message is not about an alert.
alter table notifications alter column trigger_id drop not null;
