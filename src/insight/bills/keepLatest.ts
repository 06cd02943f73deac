const keptMilliseconds = 60_000;

/**
 * Keeps what was worked out last, as somebody may turn its pages: under a key that says what it was made of, and for a
 * minute at most. No more than one, for it can be large.
 */
export function keepLatest<T>() {
  let kept: { key: string; result: T } | null = null;

  return async (key: string, work: () => Promise<T>): Promise<T> => {
    if (kept?.key === key) return kept.result;
    const latest = { key, result: await work() };
    kept = latest;
    setTimeout(() => {
      if (kept === latest) kept = null;
    }, keptMilliseconds).unref();
    return latest.result;
  };
}
