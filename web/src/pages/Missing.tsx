import { Anchor, Button, Code, Group, Stack, Text } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { Empty } from '../ui/Empty.tsx';
import { PageTitle } from '../ui/PageTitle.tsx';
import { decoded } from '../ui/useAddress.ts';

export function Page() {
  const [path] = useLocation();
  return (
    <>
      <PageTitle title="Page not found" />
      <Empty>
        <Stack gap="md" align="center">
          <Text size="sm">
            Nothing is at <Code style={{ overflowWrap: 'anywhere' }}>{decoded(path).slice(0, 200)}</Code>. The
            link may be old or mistyped. Search finds pages, repositories and workflows
            <span className="mantine-visible-from-sm"> (Ctrl+K)</span>.
          </Text>
          <Group gap="xs">
            <Button component={Link} href="/">
              Go to the overview
            </Button>
            <Anchor component={Link} href="/explore" size="sm" px="sm">
              Explore costs
            </Anchor>
          </Group>
        </Stack>
      </Empty>
    </>
  );
}
