/**
 * Works through the items one after another. One that fails costs the others nothing: what failed is thrown at the end,
 * each named by `nameOf`, under `message`.
 */
export async function oneByOne<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
  { nameOf, message }: { nameOf: (item: Item) => string; message: string },
): Promise<void> {
  const failures: Error[] = [];
  for (const item of items) {
    try {
      await work(item);
    } catch (cause) {
      failures.push(new Error(nameOf(item), { cause }));
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, message);
}
