import type { Answer, Body } from '../../api/query.ts';
import type { paths } from '../../api/schema.d.ts';

type Posted<Path extends '/api/v1/alerts/preview' | '/api/v1/alerts/{id}/check'> =
  paths[Path]['post']['responses'][200]['content']['application/json'];

/** What the server says of a type. Pages compare its properties and never its name. */
export type DescribedType = Answer<'/api/v1/alert-types'>[number];
export type ListedAlert = Body<'/api/v1/alerts'>['alerts'][number];
export type OneAlert = Body<'/api/v1/alerts/{id}'>;
export type Check = Posted<'/api/v1/alerts/{id}/check'>;
export type Measurement = Answer<'/api/v1/alerts/measurements'>['measurements'][number];
export type OpenTrigger = NonNullable<Measurement['open_trigger']>;
export type Preview = Posted<'/api/v1/alerts/preview'>['data'];
export type Trigger = Body<'/api/v1/alerts/{id}/triggers'>['triggers'][number] & {
  resolution?: string | null;
};
export type ExplainedTrigger = Answer<'/api/v1/alerts/{id}/triggers/{trigger_id}'>;
export type Explanation = ExplainedTrigger['explanation'];
export type Message = ExplainedTrigger['notifications'][number];

export type AlertType = ListedAlert['alert_type'];
export type Measure = ListedAlert['measure'];
/** What decides on the unit and words of an alert; list cost without a measure. */
export type Kind = Pick<ListedAlert, 'alert_type'> & Partial<Pick<ListedAlert, 'measure'>>;
export type Frequency = ListedAlert['check_frequency'];
export type Period = ListedAlert['period'];

export type Scope = ListedAlert['scope'];
export type ScopeType = Scope['type'];

export type Rule = Kind & Pick<ListedAlert, 'threshold_amount' | 'check_frequency' | 'period'>;
export type AlertSettings = Rule &
  Pick<
    ListedAlert,
    'name' | 'measure' | 'scope' | 'notify_email' | 'notify_chat' | 'channel_ids' | 'recipients' | 'enabled'
  >;
