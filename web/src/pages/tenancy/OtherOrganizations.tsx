import { Button, Card, Stack, Title } from '@mantine/core';
import { addressIn } from '../../api/organization.ts';
import { useSignOut, type NoAccess } from '../../api/session.ts';
import { Note, TextLink } from '../../ui/text.tsx';
import { useChange } from '../../ui/useChange.ts';
import { Outside, ProviderButtons } from './ProviderButtons.tsx';

/** Shown at an address whose organization this browser may not enter. */
export function OtherOrganizations({ refusal }: { refusal: NoAccess }) {
  const signOut = useChange({ act: useSignOut() });
  const { asked, needsProvider, organizations } = refusal;
  const open = organizations.filter(
    (each) => each.id !== needsProvider?.id && (each.is_entered || !each.single_sign_on_required),
  );
  return (
    <Outside
      tabTitle="No access"
      title={needsProvider ? `Sign in to ${needsProvider.name}` : `You have no access to “${asked}”`}
      about={
        needsProvider
          ? 'You belong to this organization. Sign in with its own single sign-on.'
          : 'There is no such organization, or you are not a member with the address you signed in with.'
      }
    >
      {needsProvider && <ProviderButtons />}
      <Card withBorder p="lg" component="section" aria-label="Your organizations">
        <Title order={2} size="sm" mb="xs">
          Your organizations
        </Title>
        <Stack gap={8} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
          {open.map(({ id, name, role, address_name: own }) => (
            <li key={id}>
              <TextLink href={addressIn('/', own)} underline="always">
                {name}
              </TextLink>{' '}
              <Note span>{role}</Note>
            </li>
          ))}
        </Stack>
      </Card>
      <Button variant="default" loading={signOut.isPending} onClick={() => signOut.mutate(undefined)}>
        Sign out
      </Button>
    </Outside>
  );
}
