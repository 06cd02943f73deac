import { List, Stack, Text } from '@mantine/core';

/** Exactly what to click at GitLab. */
export function AtGitLab() {
  return (
    <Stack gap="xs">
      <Text size="sm">
        Open the project at GitLab, as one of its maintainers, and go to{' '}
        <b>Settings → Webhooks → Add new webhook</b>. A group has the same page for all its projects, in the
        plans Premium and Ultimate. Then:
      </Text>
      <List type="ordered" size="sm" spacing={6}>
        <List.Item>
          <b>URL:</b> paste the one above.
        </List.Item>
        <List.Item>
          <b>Secret token:</b> paste the one above.
        </List.Item>
        <List.Item>
          <b>Trigger:</b> untick <b>Push events</b>, and tick <b>Job events</b> and <b>Pipeline events</b>.
          Both are needed: job events tell of jobs that are retried, pipeline events how the pipeline ended.
        </List.Item>
        <List.Item>
          <b>SSL verification:</b> leave it enabled.
        </List.Item>
        <List.Item>
          Press <b>Add webhook</b>. With <b>Test → Pipeline events</b>, GitLab sends the last pipeline at
          once.
        </List.Item>
      </List>
    </Stack>
  );
}
