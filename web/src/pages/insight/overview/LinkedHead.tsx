import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { breaking } from '../../../ui/WideTable.tsx';

type Props = { href: string; workflow: string; repository: string };

export function LinkedHead({ href, workflow, repository }: Props) {
  return (
    <th scope="row" style={breaking}>
      <Anchor component={Link} href={href} size="sm">
        {workflow}
      </Anchor>
      <Text size="xs" c="dimmed">
        {repository}
      </Text>
    </th>
  );
}
