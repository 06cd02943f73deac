import { Anchor, Code, List, Stack, Text } from '@mantine/core';
import { useSession } from '../../../api/session.ts';

/** Exactly what to click at GitHub. */
export function AtGitHub() {
  const { data: session } = useSession();
  const login = session?.organization.login;
  const organization = login
    ? `https://github.com/organizations/${encodeURIComponent(login)}/settings/hooks/new`
    : 'https://github.com/settings/organizations';
  return (
    <Stack gap="xs">
      <Text size="sm">
        For all repositories, open{' '}
        <Anchor href={organization} target="_blank" rel="noreferrer" underline="always" inherit>
          {login ? `the new webhook of ${login}` : 'your organizations'}
        </Anchor>{' '}
        at GitHub{login ? '' : ', choose yours'} (<b>Settings → Webhooks → Add webhook</b>). For one
        repository alone, go there in that repository&apos;s own settings. Then:
      </Text>
      <List type="ordered" size="sm" spacing={6}>
        <List.Item>
          <b>Payload URL:</b> paste the one above.
        </List.Item>
        <List.Item>
          <b>Content type:</b> choose <Code>application/json</Code>.
        </List.Item>
        <List.Item>
          <b>Secret:</b> paste the one above.
        </List.Item>
        <List.Item>
          <b>SSL verification:</b> leave it enabled.
        </List.Item>
        <List.Item>
          <b>Which events would you like to trigger this webhook?</b> Choose “Let me select individual
          events”, untick <b>Pushes</b>, and tick <b>Workflow jobs</b> and <b>Workflow runs</b>.
        </List.Item>
        <List.Item>
          Leave <b>Active</b> ticked and press <b>Add webhook</b>. GitHub sends a first event at once.
        </List.Item>
      </List>
    </Stack>
  );
}
