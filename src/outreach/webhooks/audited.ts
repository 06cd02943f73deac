import {
  called,
  changed,
  say,
  type AuditedKind,
  type Details,
  type Words,
} from '../../tenancy/audit/words.ts';

/** A deleted webhook is named by what is in the entry. */
const ofWebhook =
  (start: string): Words =>
  ({ webhook_id: id, name, host }, { nameOf }) => {
    const current = nameOf(id);
    const recorded = say`${name ?? host}` || null;
    return called(`${start} the webhook`, current === '' || current === id ? recorded : current);
  };

const eventsIn = ({ events }: Details): string =>
  Array.isArray(events) && events.length > 0 ? say`for ${events}` : '';

export const delivery = {
  title: 'Deliveries',
  words: { resend: ofWebhook('resent a delivery of') },
} satisfies AuditedKind;

export const resend = {
  title: 'Resends',
  words: {
    cancel: ofWebhook('canceled resending deliveries of'),
    start: ofWebhook('started to resend deliveries of'),
  },
} satisfies AuditedKind;

export const webhook = {
  title: 'Webhooks',
  page: '/webhooks/',
  words: {
    create: (details, { name }) => say`${called('created the webhook', name)} ${eventsIn(details)}`,
    delete: (details, { name }) => say`${called('deleted the webhook', name)} ${eventsIn(details)}`,
    ping: 'sent a test event to the webhook',
    rotate_secret: 'rotated the secret of the webhook',
    update: changed('the webhook'),
  },
} satisfies AuditedKind;
