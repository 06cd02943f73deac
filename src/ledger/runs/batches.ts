/** Limits, counted in rows of runs and jobs. */
const maxRows = { alone: 5_000, together: 100 };

export type Batch<Item> = {
  orgId: string;
  items: readonly Item[];
  /** Adds items that were queued in the meantime. Call it once the transaction holds its lock. */
  addQueued: (recorded: keyof typeof maxRows) => void;
};

/** How many shared transactions run at a time, and how many organizations each has. */
export type Sharing = { transactions: number; organizations: number };

type Recording<Item> = {
  sharing: Sharing;
  rowsOf: (item: Item) => number;
  /** Records small batches in one transaction and returns those that it could not record. Never rejects. */
  together: (batches: readonly Batch<Item>[]) => Promise<readonly Batch<Item>[]>;
  /** Never rejects. */
  alone: (batch: Batch<Item>) => Promise<void>;
};

/**
 * Group commit, one transaction at a time per organization. What comes meanwhile shares the next one, so a busy program needs
 * fewer and larger ones. Large batches, and those of organizations that are locked elsewhere, are recorded alone.
 */
export function createBatches<Item>({
  sharing,
  rowsOf,
  together,
  alone,
}: Recording<Item>): (orgId: string, item: Item) => void {
  const ready = new Map<string, Item[]>();
  /** Organizations that are being recorded, with the items for their next transaction. */
  const busy = new Map<string, Item[]>();
  let shared = 0;
  const sum = (items: readonly Item[]): number => items.reduce((rows, item) => rows + rowsOf(item), 0);

  function queue(orgId: string, items: Item[]): void {
    ready.set(orgId, items);
    if (sum(items) > maxRows.together) void recordAlone(start(orgId));
  }

  function start(orgId: string, transaction = { rows: 0 }): Batch<Item> {
    const queued = ready.get(orgId)!;
    ready.delete(orgId);
    busy.set(orgId, queued);
    const items: Item[] = [];
    let rows = 0;
    const addQueued: Batch<Item>['addQueued'] = (recorded) => {
      while (queued.length > 0) {
        const more = rowsOf(queued[0]!);
        const before = recorded === 'together' ? transaction.rows : rows;
        if (items.length > 0 && before + more > maxRows[recorded]) return;
        rows += more;
        transaction.rows += more;
        items.push(queued.shift()!);
      }
    };
    addQueued('alone');
    return { orgId, items, addQueued };
  }

  function free({ orgId }: Batch<Item>): void {
    const items = busy.get(orgId)!;
    busy.delete(orgId);
    if (items.length > 0) queue(orgId, items);
  }

  async function recordAlone(batch: Batch<Item>): Promise<void> {
    await alone(batch);
    free(batch);
    recordReady();
  }

  async function recordTogether(batches: readonly Batch<Item>[]): Promise<void> {
    const left = new Set(await together(batches));
    shared -= 1;
    for (const batch of batches) {
      if (left.has(batch)) void recordAlone(batch);
      else free(batch);
    }
    recordReady();
  }

  function recordReady(): void {
    while (shared < sharing.transactions && ready.size > 0) {
      const batches: Batch<Item>[] = [];
      const transaction = { rows: 0 };
      for (const [orgId, items] of ready) {
        if (batches.length === sharing.organizations) break;
        if (transaction.rows + sum(items) > maxRows.together && batches.length > 0) break;
        batches.push(start(orgId, transaction));
      }
      shared += 1;
      void recordTogether(batches);
    }
  }

  return (orgId, item) => {
    const next = busy.get(orgId);
    if (next) return void next.push(item);
    queue(orgId, [...(ready.get(orgId) ?? []), item]);
    recordReady();
  };
}
