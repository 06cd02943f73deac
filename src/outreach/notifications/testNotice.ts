import { instantText, shownName, type Wording } from './wording.ts';

/** What people are told by a message that only tries whether messages arrive. */
export type TestNotice = {
  organization: string;
  /** ISO 8601. */
  sentAt: string;
};

/** A test in words, in the places where those of an alert stand; it leads to `dashboardUrl`. */
export function testWording({ organization, sentAt }: TestNotice, dashboardUrl: string): Wording {
  const name = shownName(organization) || 'your organization';
  return {
    title: 'Test message',
    alertName: `Alerts of ${name} arrive here`,
    organization: name,
    current: 'It works',
    inShort: 'no alert has triggered',
    summary: `Somebody who looks after ${name} tried whether messages arrive. No alert has triggered, and nothing needs doing.`,
    facts: [{ label: 'Sent', value: instantText(sentAt) }],
    workflows: [],
    link: { label: 'Open the dashboard', url: new URL(dashboardUrl).href },
  };
}
