import { discord } from './discord/discord.ts';
import { email } from './email/email.ts';
import type { ChannelKinds } from './kind.ts';
import { createPagerDuty, pagerDutyAddresses } from './pagerduty/pagerduty.ts';
import { slack } from './slack/slack.ts';
import { teams } from './teams/teams.ts';
import { webhook } from './webhook/webhook.ts';

/** In the order in which the pages offer them. */
export const channelKinds: ChannelKinds = {
  slack,
  teams,
  discord,
  email,
  pagerduty: createPagerDuty(pagerDutyAddresses),
  webhook,
};
