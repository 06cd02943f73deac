import { useCallback, useState, type RefCallback } from 'react';

/** The width of an element, known before the browser paints it. The server assumes one. */
export function useWidth(assumed: number): [ref: RefCallback<HTMLElement>, width: number] {
  const [width, setWidth] = useState(assumed);
  const ref = useCallback(
    (element: HTMLElement | null) => {
      if (!element) return;
      const read = () => setWidth(element.clientWidth || assumed);
      read();
      const observer = new ResizeObserver(read);
      observer.observe(element);
      return () => observer.disconnect();
    },
    [assumed],
  );
  return [ref, width];
}
