import { lazy, Suspense, useEffect, useState } from 'react';
import type { Hint as LoadedHint } from './Hint.tsx';

// Loaded with the first hint, so that pages neither wait for it nor fail without it.
const Hint = lazy(async () => ({ default: (await import('./Hint.tsx').catch(() => noHint)).Hint }));
const noHint: { Hint: typeof LoadedHint } = { Hint: () => <></> };

const hinted = ':is([aria-description], [data-hint]):not([aria-expanded="true"])';

export function Hints() {
  const target = useDescribed();
  if (!target) return null;
  return (
    <Suspense fallback={null}>
      <Hint target={target} />
    </Suspense>
  );
}

function useDescribed(): HTMLElement | null {
  const [described, setDescribed] = useState<HTMLElement | null>(null);
  useEffect(() => {
    const stopping = new AbortController();
    const on = <K extends keyof DocumentEventMap>(type: K, act: (event: DocumentEventMap[K]) => void) =>
      document.addEventListener(type, act, { signal: stopping.signal });
    const hide = (): void => setDescribed(null);
    const show = ({ target }: Event): void =>
      setDescribed(target instanceof Element ? target.closest<HTMLElement>(hinted) : null);
    // A finger also touches the page to scroll, so only a tap counts.
    on('pointerover', (event) => event.pointerType !== 'touch' && show(event));
    on('click', (event) =>
      event instanceof PointerEvent && event.pointerType === 'touch' ? show(event) : hide(),
    );
    on(
      'focusin',
      (event) => event.target instanceof Element && event.target.matches(':focus-visible') && show(event),
    );
    on('focusout', hide);
    on('keydown', ({ key }) => key === 'Escape' && hide());
    document.documentElement.addEventListener('pointerleave', hide, { signal: stopping.signal });
    return () => stopping.abort();
  }, []);
  return described;
}
