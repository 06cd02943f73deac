import { Text, type TextProps } from '@mantine/core';
import type { ReactNode } from 'react';

type Props = TextProps & { children?: ReactNode; role?: 'status'; id?: string };

/** A remark, less prominent than the text around it. */
export function Note(props: Props) {
  return <Text size="sm" c="dimmed" {...props} />;
}
