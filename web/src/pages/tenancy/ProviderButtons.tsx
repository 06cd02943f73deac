import { Alert, Button, Center, Stack, Text, Title } from '@mantine/core';
import { IconBrandGithub, IconLogin2 } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import { publicApi } from '../../api/client.ts';
import { Mark } from '../../layout/Logo.tsx';

export const signInOptionsQuery = (org: string | null) =>
  queryOptions({
    queryKey: ['/api/v1/sign-in-options', org],
    queryFn: async () => {
      const query = org ? { org } : {};
      return (await publicApi.GET('/api/v1/sign-in-options', { params: { query } })).data!.data;
    },
    staleTime: 60_000,
  });

/** Buttons for the identity providers of the organization in the address. */
export function ProviderButtons() {
  const org = new URLSearchParams(location.search).get('org');
  const { data } = useQuery(signInOptionsQuery(org));
  if (!data || data.providers.length === 0) return null;
  return (
    <Stack gap="sm">
      {data.single_sign_on_required && (
        <Alert variant="outline" color="gray" p="xs">
          This organization requires single sign-on. Tokens don’t sign you in here.
        </Alert>
      )}
      {data.providers.map(({ name, kind, address }) => (
        <Button
          key={address}
          component="a"
          href={address + pageAfter()}
          size="md"
          leftSection={kind === 'github' ? <IconBrandGithub size={18} /> : <IconLogin2 size={18} />}
        >
          Continue with {name}
        </Button>
      ))}
    </Stack>
  );
}

type OutsideProps = {
  tabTitle: string;
  title: string;
  about: ReactNode;
  /** Whether its height can change, so that it stays near the top. */
  isHigh?: boolean;
  children: ReactNode;
};

/** A page outside the frame, for people who are not in an organization. */
export function Outside({ tabTitle, title, about, isHigh = false, children }: OutsideProps) {
  useEffect(() => {
    document.title = `${tabTitle} · Runcost`;
  }, []);
  return (
    <Center {...(isHigh ? { pt: 'max(24px, 14vh)' } : { mih: '100vh' })} p="md" className="sign-in">
      <Stack component="main" w="100%" maw={isHigh ? 400 : 420} gap={isHigh ? 'lg' : 'xl'}>
        <Stack gap={6} align="center" ta="center">
          <Mark size={48} />
          <Title order={1} size="h2" mt="sm">
            {title}
          </Title>
          {about && (
            <Text c="dimmed" style={{ textWrap: 'balance' }}>
              {about}
            </Text>
          )}
        </Stack>
        {children}
      </Stack>
    </Center>
  );
}

function pageAfter(): string {
  const { pathname, search } = location;
  return pathname === '/sign-in' ? '' : `&to=${encodeURIComponent(pathname + search)}`;
}
