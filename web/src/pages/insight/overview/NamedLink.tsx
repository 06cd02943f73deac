import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';

type Props = { href: string; workflow: string; note: string };

/** A workflow, or a run of it, with where it is below. */
export function NamedLink({ href, workflow, note }: Props) {
  const at = note.indexOf('/') + 1;
  return (
    <>
      <Anchor component={Link} href={href} size="sm">
        {workflow}
      </Anchor>
      {note !== '' && (
        <Text size="xs" c="dimmed" fw={400}>
          {/* Phones have room for the name without its owner. */}
          <span className="mantine-visible-from-sm">
            {note.slice(0, at)}
            <wbr />
          </span>
          {note.slice(at)}
        </Text>
      )}
    </>
  );
}
