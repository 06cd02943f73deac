import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Boundary } from './Boundary.tsx';
import { SmallButton } from './rights.tsx';

/** A part that the page can do without. If it fails, its place says so. `name` begins the sentence. */
export function PartBoundary({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Boundary
      fallback={() => (
        <Group role="alert" gap="sm">
          <Text size="sm">{name} failed to load.</Text>
          <SmallButton onClick={() => location.reload()}>Try again</SmallButton>
        </Group>
      )}
    >
      {children}
    </Boundary>
  );
}
