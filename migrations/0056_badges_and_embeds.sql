-- A share link is a page of its own, a badge (an image with one amount), or an embed (the page within another site).
alter table share_links
  add column kind text not null default 'link' check (kind in ('link', 'badge', 'embed')),
  -- Origins of the pages that may show an embed.
  add column sites text[] not null default '{}',
  -- Null: never, for badges only.
  alter column expires_at drop not null,
  add check (expires_at is not null or kind = 'badge');
