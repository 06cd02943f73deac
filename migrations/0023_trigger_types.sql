-- What an alert was when it triggered: it may have been changed since. Until now only anomalies had a baseline.
alter table alert_triggers add column alert_type text, add column scope jsonb;
update alert_triggers
set alert_type = case when baseline_nanos is null then 'budget' else 'anomaly' end,
  scope = '{"type": "organization"}';
alter table alert_triggers alter column alert_type set not null, alter column scope set not null;

-- Which types there are is listed once, in the program.
alter table alerts drop constraint alerts_alert_type_check;

-- A message now holds what its alert's type says of the trigger; those still to be sent get it here.
with amounts as (
  select org_id, id, notice, notice #>> '{alert,type}' as alert_type, notice ->> 'organization' as organization,
    (notice ->> 'currentValue')::numeric as current, (notice ->> 'thresholdValue')::numeric as threshold,
    (notice ->> 'observed')::numeric as observed, (notice ->> 'baseline')::numeric as baseline,
    case when left(notice ->> 'triggeredAt', 10) <= notice #>> '{period,end}' then ' by then' else '' end as by_then
  from notifications
  where status = 'pending'
),
texts as (
  select org_id, id, alert_type, organization, by_then,
    '$' || to_char(round(current, 2), 'FM999,999,999,990.00') as spent,
    '$' || to_char(threshold, 'FM999,999,999,990.009999999') as budget,
    '$' || to_char(round(current - threshold, 2), 'FM999,999,999,990.00') as over,
    rtrim(to_char(round(current, 2), 'FM999,999,999,990.99'), '.') || '%' as rise,
    rtrim(to_char(threshold, 'FM999,999,999,990.999999999'), '.') || '%' as max_rise,
    '$' || to_char(round(observed, 2), 'FM999,999,999,990.00') as observed,
    '$' || to_char(round(baseline, 2), 'FM999,999,999,990.00') as usual
  from amounts
)
update notifications n
set notice = n.notice || jsonb_build_object('words', case t.alert_type
  when 'budget' then jsonb_build_object(
    'title', 'Budget exceeded',
    'current', spent,
    'inShort', spent || ', threshold ' || budget,
    'summary', organization || ' has spent ' || spent || ', which is ' || over || ' over the budget of ' || budget || '.',
    'facts', jsonb_build_array(
      jsonb_build_object('label', 'Spent', 'value', spent),
      jsonb_build_object('label', 'Budget', 'value', budget),
      jsonb_build_object('label', 'Over by', 'value', over)))
  else jsonb_build_object(
    'title', 'Spending spike',
    'current', '+' || rise,
    'inShort', '+' || rise || ', threshold ' || max_rise,
    'summary', organization || ' has spent ' || observed || coalesce(' instead of the usual ' || usual || by_then, '') ||
      ': a rise of ' || rise || ', over the threshold of ' || max_rise || '.',
    'facts', jsonb_build_array(
      jsonb_build_object('label', 'Rise', 'value', rise),
      jsonb_build_object('label', 'Threshold', 'value', max_rise),
      jsonb_build_object('label', 'Spent', 'value', observed)) ||
      case when usual is null then '[]'
        else jsonb_build_array(jsonb_build_object('label', 'Usually' || by_then, 'value', usual)) end)
  end)
from texts t
where n.org_id = t.org_id and n.id = t.id;
