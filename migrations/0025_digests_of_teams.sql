-- An unknown is neither: `null and false` refused every digest about a team.
alter table digests
  drop constraint digests_check,
  add check (actor_kind is null or (actor_kind in ('person', 'bot', 'agent') and team is null));
