import type { ChannelKind, Message, Values } from '../kind.ts';
import { postJson } from '../post.ts';
import { asIs } from '../texts.ts';
import { fit } from '../wording.ts';

export const pagerDutyAddresses = {
  us: 'https://events.pagerduty.com/v2/enqueue',
  eu: 'https://events.eu.pagerduty.com/v2/enqueue',
};

const meanings = {
  400: 'it does not know this integration key. Copy it again from an Events API v2 integration of the service.',
  403: 'it does not let this key send events. Copy the key of an Events API v2 integration of the service.',
  404: 'the service region may be wrong. Choose the one in the address of your PagerDuty.',
};

/** Events API v2: https://developer.pagerduty.com/docs/events-api-v2-overview */
export function createPagerDuty(addresses: typeof pagerDutyAddresses): ChannelKind {
  return {
    title: 'PagerDuty',
    description: 'Opens an incident when an alert triggers, and resolves it when the alert is resolved.',
    fields: {
      routing_key: {
        title: 'Integration key',
        type: 'text',
        isSecret: true,
        help: 'In PagerDuty, open the service, then Integrations, add an Events API v2 integration and copy its key.',
        format: {
          pattern: '^[0-9a-zA-Z]{32}$',
          text: 'have the 32 letters and digits of an integration key',
        },
      },
      region: {
        title: 'Service region',
        type: 'choice',
        isOptional: true,
        help: 'Europe if the address of your PagerDuty has “.eu.” in it.',
        choices: { us: 'United States', eu: 'Europe' },
      },
    },
    isForAlertsOnly: true,
    takesResolutions: true,
    deliver: async (outlet, message, { values, id, timeoutMilliseconds }) => {
      const url = addresses[values.region === 'eu' ? 'eu' : 'us'];
      const send = (isResolved: boolean) => {
        const body = eventOf(message, { values, id, isResolved });
        return postJson(outlet, { url, body, timeoutMilliseconds, receiver: 'PagerDuty', meanings });
      };
      const delivered = await send(message.trigger?.isResolved ?? false);
      // Nobody should have to resolve the incident of a test.
      if (message.isTest && delivered.isDelivered) return send(true);
      return delivered;
    },
  };
}

type Event = { values: Values; id: string; isResolved: boolean };

const maxSummaryLength = 1024;

/** Events with the same `dedup_key` are about the same incident, so a repeated one opens no second. */
function eventOf({ wording, data, trigger, isTest }: Message, { values, id, isResolved }: Event): object {
  const { title, alertName, summary, organization, link } = wording;
  return {
    routing_key: values.routing_key,
    event_action: isResolved ? 'resolve' : 'trigger',
    dedup_key: `runcost-${trigger?.id ?? id}`,
    client: 'Runcost',
    client_url: link.url,
    links: [{ href: link.url, text: link.label }],
    payload: {
      summary: fit(`${title}: ${alertName}. ${summary}`, maxSummaryLength, asIs),
      source: organization,
      severity: isTest ? 'info' : 'warning',
      custom_details: data,
    },
  };
}
