import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { RepositoryName, sharedOwner } from '../ui/RepositoryName.tsx';

type Props = { href: string; workflow: string; note: string };

/** A workflow or run, with its location on a second line. */
export function NamedLink({ href, workflow, note }: Props) {
  const [repository = '', ...rest] = note.split(' · ');
  return (
    <>
      <Anchor component={Link} href={href} size="sm">
        {workflow}
      </Anchor>
      {note !== '' && (
        <Text size="xs" c="dimmed" fw={400} className="row-note">
          {/* On phones, only the name without its owner fits. */}
          <RepositoryName name={repository} owner={sharedOwner([repository])} />
          {rest.map((part) => ` · ${part}`)}
        </Text>
      )}
    </>
  );
}
