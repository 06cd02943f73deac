import { Tooltip } from '@mantine/core';
import { useSyncExternalStore } from 'react';

export function Hint({ target }: { target: HTMLElement }) {
  const text = useSyncExternalStore(onPageChange, () =>
    target.isConnected ? (target.dataset['hint'] ?? target.getAttribute('aria-description')) : null,
  );
  if (!text) return null;
  return (
    <Tooltip
      opened
      target={target}
      label={text}
      multiline
      maw="min(360px, calc(100vw - 16px))"
      position={target.closest('[data-rail] .navigation') ? 'right' : 'top'}
    />
  );
}

function onPageChange(notify: () => void): () => void {
  const observer = new MutationObserver(notify);
  const attributeFilter = ['aria-description', 'data-hint'];
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter });
  return () => observer.disconnect();
}
