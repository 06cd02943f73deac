/** A webhook that has deliveries due, and how many are under way, its own and its organization's. */
export type ReadyWebhook = {
  orgId: string;
  id: string;
  status: 'active' | 'paused' | 'failing';
  lastDeliveryStatus: 'pending' | 'success' | 'failed' | 'held' | null;
  underWay: number;
  underWayOfOrganization: number;
  /** Whether its host is one of those that cannot be reached while the brake is on. */
  isBraked: boolean;
};

/** How many deliveries of one webhook go at a time: after one that arrived, after one that did not, while it fails. */
const most = { well: 48, doubtful: 4, failing: 1 };
const mostOfOrganization = 64;

/**
 * How many deliveries to take of each webhook, so that nobody's receivers hold up another's: a webhook gets no more than
 * its few, an organization no more than its part of the places, and whoever has nothing under way gets one before others
 * get more, even where no place is free. `places` is how many the process has left, `isProbe` whether one of the braked
 * ones may be tried.
 */
export function sharesOf(webhooks: readonly ReadyWebhook[], places: number, isProbe: boolean): number[] {
  const shares = webhooks.map(() => 0);
  const ofOrganization = new Map(webhooks.map(({ orgId, underWayOfOrganization: count }) => [orgId, count]));
  let [free, isProbed] = [places, !isProbe];
  const give = (index: number, count: number) => {
    const { orgId } = webhooks[index]!;
    shares[index]! += count;
    ofOrganization.set(orgId, ofOrganization.get(orgId)! + count);
    free -= count;
  };
  for (const [index, webhook] of webhooks.entries()) {
    if (webhook.underWay > 0 || (webhook.isBraked && isProbed)) continue;
    isProbed ||= webhook.isBraked;
    give(index, 1);
  }
  for (const [index, webhook] of webhooks.entries()) {
    if (webhook.isBraked) continue;
    const own = mostOf(webhook) - webhook.underWay - shares[index]!;
    const left = Math.min(own, mostOfOrganization - ofOrganization.get(webhook.orgId)!, free);
    if (left > 0) give(index, left);
  }
  return shares;
}

function mostOf({ status, lastDeliveryStatus }: ReadyWebhook): number {
  if (status === 'failing') return most.failing;
  return lastDeliveryStatus === 'success' ? most.well : most.doubtful;
}
