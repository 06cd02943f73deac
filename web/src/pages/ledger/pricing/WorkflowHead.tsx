import { Text } from '@mantine/core';
import { RepositoryName, sharedOwner } from '../../../ui/RepositoryName.tsx';
import { breaking } from '../../../ui/WideTable.tsx';

export function WorkflowHead({ name, repository }: { name: string; repository: string }) {
  return (
    <th scope="row" style={breaking}>
      {name}{' '}
      <Text span size="sm" c="dimmed">
        <RepositoryName name={repository} owner={sharedOwner([repository])} />
      </Text>
    </th>
  );
}
