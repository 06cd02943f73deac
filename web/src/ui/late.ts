import { lazy, type ComponentType } from 'react';

/** A component that loads when it is first shown. */
export const late = <Name extends string, Props>(
  load: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
) => lazy(async () => ({ default: (await load())[name] }));
