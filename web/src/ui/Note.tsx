import { Text, type TextProps } from '@mantine/core';
import type { ReactNode } from 'react';

type NoteProps = TextProps & { children?: ReactNode; role?: 'status'; id?: string; title?: string };

/** A remark, less prominent than the text around it. */
export function Note(props: NoteProps) {
  return <Text size="sm" c="dimmed" {...props} />;
}

/** Text of any length, such as an error of another system. It breaks anywhere, also in a table. */
export function LongText(props: NoteProps) {
  return <Text size="sm" style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }} {...props} />;
}
