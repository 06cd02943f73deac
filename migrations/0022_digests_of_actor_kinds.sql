-- Null: of all actors. A digest is about a team or about a kind of actor, not about both.
alter table digests
  add column actor_kind text check (actor_kind in ('person', 'bot', 'agent') and team is null);
