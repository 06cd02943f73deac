import { Tooltip } from '@mantine/core';

/** Stands beside the element, for as long as it is rendered. */
export function Hint({ target, text }: { target: HTMLElement; text: string }) {
  return <Tooltip opened target={target} label={text} multiline maw="min(360px, calc(100vw - 16px))" />;
}
