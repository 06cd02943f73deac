-- When each was last here, accurate to an hour: sessions are deleted when they end. The previous version does not write it.
alter table members add column last_seen_at timestamptz;

with seen as (
  select s.org_id, coalesce(s.member_id, t.member_id) as member_id, s.last_seen_at as at
  from sessions s
  left join tokens t on t.org_id = s.org_id and t.id = s.token_id
  union all
  select org_id, member_id, last_used_at from tokens
  union all
  select org_id, details ->> 'member_id', created_at from audit_entries where action = 'session.create'
), latest as (
  select org_id, member_id, max(at) as at from seen group by org_id, member_id
)
update members m set last_seen_at = latest.at
from latest
where latest.org_id = m.org_id and latest.member_id = m.id;
