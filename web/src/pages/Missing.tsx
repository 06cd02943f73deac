import { Anchor, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useContext } from 'react';
import { Link, useLocation } from 'wouter';
import { OpenSearch } from '../layout/OpenSearch.ts';
import { nearPages } from '../layout/pageSearch.ts';
import { Empty } from '../ui/Empty.tsx';
import { PageTitle } from '../ui/PageTitle.tsx';
import { decoded } from '../ui/useAddress.ts';

export function Page() {
  const [path] = useLocation();
  const openSearch = useContext(OpenSearch);
  const address = decoded(path);
  const near = nearPages(address).map(({ go, label }) => ({ href: String(go), label }));
  return (
    <>
      <PageTitle title="Page not found" />
      <Empty>
        <Stack gap="md" align="center">
          <Text size="sm">
            Nothing is at <Code style={{ overflowWrap: 'anywhere' }}>{address.slice(0, 200)}</Code>. The link
            may be old or mistyped.
          </Text>
          {near.length > 0 && (
            <nav aria-label="Similar pages">
              <Text size="sm" component="div">
                Did you mean{' '}
                {near.map(({ href, label }, index) => (
                  <span key={href}>
                    {index > 0 && (index === near.length - 1 ? ' or ' : ', ')}
                    <Anchor component={href === '/docs' ? 'a' : Link} href={href} inherit underline="always">
                      {label}
                    </Anchor>
                  </span>
                ))}
                ?
              </Text>
            </nav>
          )}
          <Group gap="xs" justify="center">
            <Button component={Link} href="/">
              Go to the overview
            </Button>
            <Button variant="default" onClick={openSearch}>
              Search
            </Button>
          </Group>
        </Stack>
      </Empty>
    </>
  );
}
