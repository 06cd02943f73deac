import { Code, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { sourceKindsQuery, type SourceKind } from '../../../api/queries.ts';
import type { Source } from '../../../api/queries.ts';
import { OutsideLink } from '../../../ui/text.tsx';

export function useSourceKind(source: Source): SourceKind | null {
  return useQuery(sourceKindsQuery).data?.find(({ kind }) => kind === source.kind) ?? null;
}

type StepsProps = {
  kind: SourceKind;
  /** Whether the secret can no longer be shown. */
  isAgain?: boolean;
};

export function SetupSteps({ kind, isAgain = false }: StepsProps) {
  const { intro, steps } = kind.how_to_connect;
  return (
    <Stack gap="xs">
      <Text size="sm">{withMarks(intro)}</Text>
      <List type="ordered" size="sm" spacing={6}>
        {steps.map((step) => (
          <List.Item key={step}>
            {withMarks(isAgain ? step.replace(shownOnce, '$1 the one that you saved.') : step)}
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}

const shownOnce = /^(\*\*Secret\b.*:\*\*) paste the one above\.$/;

const marks = /(\*\*[^*]+\*\*|`[^`]+`|\[[^\]]+\]\(https:[^)]+\))/;

/** Renders the few Markdown marks that setup texts use. */
function withMarks(text: string): ReactNode {
  return text.split(marks).map((part, index) => <Fragment key={index}>{marked(part)}</Fragment>);
}

function marked(part: string): ReactNode {
  if (part.startsWith('**')) return <b>{part.slice(2, -2)}</b>;
  if (part.startsWith('`')) return <Code>{part.slice(1, -1)}</Code>;
  const [, label, href] = /^\[(.+)\]\((.+)\)$/.exec(part) ?? [];
  if (href === undefined) return part;
  return <OutsideLink href={href}>{label}</OutsideLink>;
}
