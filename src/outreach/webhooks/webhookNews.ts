import type { FinishedAttempt, WebhookNews } from './delivery.queries.ts';

type Told = Pick<FinishedAttempt, 'orgId' | 'webhookId' | 'endedAt' | 'responseCode' | 'outcome'> & {
  isExhausted: boolean;
};

/**
 * What attempts tell of their webhooks, one piece of news each: a delivery that has used up its attempts makes its
 * webhook fail, the first 2xx ends that, and where both are told, the later one counts.
 */
export function newsOf(attempts: readonly Told[]): WebhookNews[] {
  const known = attempts.filter(({ outcome }) => outcome !== 'unknown');
  return [...Map.groupBy(known, ({ orgId, webhookId }) => `${orgId}/${webhookId}`).values()].map(
    (ofWebhook) => {
      const inOrder = ofWebhook.toSorted((a, b) => a.endedAt.getTime() - b.endedAt.getTime());
      const { orgId, webhookId, endedAt, responseCode, outcome: last } = inOrder.at(-1)!;
      const lastDeliveryStatus = last === 'success' ? 'success' : 'failed';
      const telling = inOrder.findLast(({ outcome, isExhausted }) => outcome === 'success' || isExhausted);
      return {
        ...{ orgId, webhookId, lastDeliveryAt: endedAt, lastDeliveryStatus, lastResponseCode: responseCode },
        isFailing: telling ? telling.isExhausted : null,
      };
    },
  );
}
