import type { ClaimedDelivery } from './claim.queries.ts';

/** All times here are in milliseconds. */
export type QueuedDelivery = ClaimedDelivery & { claimedAt: number };

/** The queue of one webhook: deliveries in flight and waiting, with the limit of each. */
type Line = {
  inFlight: number;
  maxInFlight: number;
  waiting: QueuedDelivery[];
  ahead: number;
  usedAt: number;
};

export type Standing = { inFlight: number; waiting: number; ahead: number };

export type DeliveryQueue = {
  standingOf: (webhookId: string) => Standing;
  /** How many more deliveries may wait, for all webhooks together. */
  freePlaces: () => number;
  /** Ids of webhooks with so many waiting deliveries that a claim would add few. */
  supplied: () => string[];
  add: (claimed: readonly QueuedDelivery[]) => void;
  allow: (webhookId: string, maxInFlight: number) => void;
  /** Takes the deliveries of a webhook to send now, oldest first. */
  take: (webhookId: string, now: number) => QueuedDelivery[];
  noteEnd: (delivery: QueuedDelivery, isSuccess: boolean, now: number) => void;
  /** Removes deliveries that have waited too long, so that any process can claim them. */
  takeLate: (now: number) => QueuedDelivery[];
  takeAll: () => QueuedDelivery[];
};

const maxAhead = 336;
const maxWaiting = 1_024;
const fastMilliseconds = 250;
const lateMilliseconds = 1_000;

/** The longer a receiver answers fast, the more may wait, so that hundreds share one transaction. */
export function createQueue(): DeliveryQueue {
  const lines = new Map<string, Line>();
  return {
    standingOf: (webhookId) => {
      const line = lines.get(webhookId);
      if (!line) return { inFlight: 0, waiting: 0, ahead: 0 };
      return { inFlight: line.inFlight, waiting: line.waiting.length, ahead: line.ahead };
    },
    freePlaces: () => {
      const waiting = [...lines.values()].reduce((sum, line) => sum + line.waiting.length, 0);
      return Math.max(0, maxWaiting - waiting);
    },
    supplied: () => [...lines].filter(([, line]) => line.waiting.length * 2 > line.ahead).map(([id]) => id),
    add: (claimed) => {
      for (const delivery of claimed) {
        const { webhookId, claimedAt: usedAt } = delivery;
        const line = lines.get(webhookId) ?? newLine(usedAt);
        line.waiting.push(delivery);
        lines.set(webhookId, line);
      }
    },
    allow: (webhookId, maxInFlight) => {
      const line = lines.get(webhookId);
      if (line) line.maxInFlight = maxInFlight;
    },
    take: (webhookId, now) => {
      const line = lines.get(webhookId);
      if (!line || isLate(line, now)) return [];
      const taken = line.waiting.splice(0, Math.max(0, line.maxInFlight - line.inFlight));
      line.inFlight += taken.length;
      return taken;
    },
    noteEnd: ({ webhookId, claimedAt }, isSuccess, now) => {
      const line = lines.get(webhookId)!;
      const isFast = now - claimedAt < fastMilliseconds;
      line.usedAt = now;
      line.inFlight--;
      line.ahead = isSuccess ? Math.min(Math.max(line.ahead + (isFast ? 1 : -1), 0), maxAhead) : 0;
    },
    takeLate: (now) => {
      const late: QueuedDelivery[] = [];
      for (const [id, line] of lines) {
        if (isLate(line, now)) line.ahead = 0;
        if (line.ahead === 0) late.push(...line.waiting.splice(0));
        const isIdle = line.inFlight === 0 && line.waiting.length === 0;
        if (isIdle && now - line.usedAt > lateMilliseconds) lines.delete(id);
      }
      return late;
    },
    takeAll: () => [...lines.values()].flatMap((line) => line.waiting.splice(0)),
  };
}

function newLine(usedAt: number): Line {
  return { inFlight: 0, maxInFlight: 0, waiting: [], ahead: 0, usedAt };
}

function isLate({ waiting: [oldest] }: Line, now: number): boolean {
  return oldest !== undefined && now - oldest.claimedAt > lateMilliseconds;
}
