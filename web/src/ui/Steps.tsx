import { Stack, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import './steps.css';

/** What to do, in this order. */
export function Steps(props: { 'aria-label'?: string; children: ReactNode }) {
  return <ol className="steps" {...props} />;
}

type Props = { title: string; isDone?: boolean; isNow?: boolean; children: ReactNode };

export function Step({ title, isDone = false, isNow = false, children }: Props) {
  return (
    <li data-done={isDone || undefined} aria-current={isNow ? 'step' : undefined}>
      <Stack gap="xs" miw={0}>
        <Text component="h3" size="sm" fw={600}>
          {title}
          {isDone && <VisuallyHidden> (done)</VisuallyHidden>}
        </Text>
        {children}
      </Stack>
    </li>
  );
}
