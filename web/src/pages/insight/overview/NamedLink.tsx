import { Anchor, Text } from '@mantine/core';
import { Fragment } from 'react';
import { Link } from 'wouter';

type Props = { href: string; workflow: string; note: string };

/** A workflow, or a run of it, with where it is below. */
export function NamedLink({ href, workflow, note }: Props) {
  return (
    <>
      <Anchor component={Link} href={href} size="sm">
        {workflow}
      </Anchor>
      <Text size="xs" c="dimmed" fw={400}>
        {/* Lines end after the owner rather than within a name. */}
        {note.split('/').map((part, index) => (
          <Fragment key={index}>
            {index > 0 && (
              <>
                /<wbr />
              </>
            )}
            {part}
          </Fragment>
        ))}
      </Text>
    </>
  );
}
