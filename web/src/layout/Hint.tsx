import { Tooltip } from '@mantine/core';
import { useSyncExternalStore } from 'react';

/** Stands beside the element, for as long as both are rendered, and says what the element does by now. */
export function Hint({ target }: { target: HTMLElement }) {
  const text = useSyncExternalStore(onPageChange, () =>
    target.isConnected ? target.getAttribute('aria-description') : null,
  );
  if (!text) return null;
  return <Tooltip opened target={target} label={text} multiline maw="min(360px, calc(100vw - 16px))" />;
}

function onPageChange(tell: () => void): () => void {
  const observer = new MutationObserver(tell);
  const attributeFilter = ['aria-description'];
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter });
  return () => observer.disconnect();
}
