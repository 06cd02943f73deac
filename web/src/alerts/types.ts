import type { paths } from '../api/schema.d.ts';

type Paths = {
  types: paths['/api/v1/alert-types']['get']['responses'][200];
  list: paths['/api/v1/alerts']['get']['responses'][200];
  one: paths['/api/v1/alerts/{id}']['get']['responses'][200];
  check: paths['/api/v1/alerts/{id}/check']['post']['responses'][200];
  preview: paths['/api/v1/alerts/preview']['post']['responses'][200];
  measurements: paths['/api/v1/alerts/measurements']['get']['responses'][200];
  triggers: paths['/api/v1/alerts/{id}/triggers']['get']['responses'][200];
  trigger: paths['/api/v1/alerts/{id}/triggers/{trigger_id}']['get']['responses'][200];
};
type Answer<K extends keyof Paths> = Paths[K]['content']['application/json'];

/** What the server says of a type. Pages compare its properties and never its name. */
export type DescribedType = Answer<'types'>['data'][number];
export type ListedAlert = Answer<'list'>['alerts'][number];
export type OneAlert = Answer<'one'>;
export type Check = Answer<'check'>;
export type Measurement = Answer<'measurements'>['data']['measurements'][number];
export type OpenTrigger = NonNullable<Measurement['open_trigger']>;
export type Preview = Answer<'preview'>['data'];
export type Trigger = Answer<'triggers'>['triggers'][number] & { resolution?: string | null };
export type ExplainedTrigger = Answer<'trigger'>['data'];
export type Explanation = ExplainedTrigger['explanation'];
export type Message = ExplainedTrigger['notifications'][number];

export type AlertType = ListedAlert['alert_type'];
export type Frequency = ListedAlert['check_frequency'];
export type Period = ListedAlert['period'];

export type Scope = ListedAlert['scope'];
export type ScopeType = Scope['type'];

export type Rule = Pick<ListedAlert, 'alert_type' | 'threshold_amount' | 'check_frequency' | 'period'>;
export type AlertSettings = Rule &
  Pick<
    ListedAlert,
    'name' | 'scope' | 'notify_email' | 'notify_chat' | 'channel_ids' | 'recipients' | 'enabled'
  >;
