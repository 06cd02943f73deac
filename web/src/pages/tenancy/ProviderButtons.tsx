import { Alert, Button, Stack } from '@mantine/core';
import { IconBrandGithub, IconLogin2 } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { publicApi } from '../../api/client.ts';

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

function pageAfter(): string {
  const { pathname, search } = location;
  return pathname === '/sign-in' ? '' : `&to=${encodeURIComponent(pathname + search)}`;
}
