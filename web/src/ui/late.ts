import { lazy, type ComponentType } from 'react';

/** A component that loads when it is first shown. */
export const late = <Name extends string, Props>(
  load: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
) => lazy(async () => ({ default: (await load())[name] }));

/** Loads what a button opens once the pointer or the focus is on it. A click tries again and reports an error. */
export function nearing(load: () => Promise<unknown>) {
  const near = () => void load().catch(() => {});
  return { onPointerEnter: near, onFocus: near };
}
