/** Aborted by the first signal to stop, of which `onStop` hears; the second one ends the process at once. */
export function stopOnSignal(onStop?: (name: NodeJS.Signals) => void): AbortSignal {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      onStop?.(name);
      stopping.abort();
    });
  }
  return stopping.signal;
}
