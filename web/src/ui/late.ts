import { createElement, lazy, type ComponentType } from 'react';
import { isServer } from './browserState.ts';

/** Names of what the server has drawn, which the browser loads before it replaces the page. */
export const drawnParts = new Set<string>();
const loads = new Map<string, () => Promise<unknown>>();

/** A component that loads when it is first shown. */
export function late<Name extends string, Props extends object>(
  load: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
) {
  let loaded: { default: ComponentType<Props> } | undefined;
  const loadNow = async () => (loaded = { default: (await load())[name] });
  loads.set(name, loadNow);
  // React shows what is there at once, if `then` calls back at once.
  // oxlint-disable-next-line unicorn/no-thenable
  const there = { then: (resolve: (module: typeof loaded) => void) => resolve(loaded) };
  const Late = lazy<ComponentType<Props>>(() =>
    loaded ? (there as Promise<typeof loaded & {}>) : loadNow(),
  );
  const Noted = (props: Props) => {
    drawnParts.add(name);
    return createElement(Late as ComponentType<Props>, props);
  };
  return Object.assign(isServer ? Noted : Late, { load: loadNow });
}

export const loadPart = async (name: string) => loads.get(name)?.();

/** Loads what a button opens once the pointer or the focus is on it. A click tries again and reports an error. */
export function nearing(load: () => Promise<unknown>) {
  const near = () => void load().catch(() => {});
  return { onPointerEnter: near, onFocus: near };
}
