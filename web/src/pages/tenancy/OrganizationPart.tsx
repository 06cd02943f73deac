import { Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Choice } from '../../ui/Choice.tsx';
import { CopyField } from '../../ui/CopyField.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { RightsNote, useWhyNot } from '../../ui/rights.tsx';
import { errorOf, useChange } from '../../ui/useChange.ts';
import { When } from '../../ui/When.tsx';
import { DeleteOrganization } from './DeleteOrganization.tsx';
import { organizationKey, organizationQuery, type Organization } from './queries.ts';

const plans = [
  { value: 'free', label: 'Free: 60 requests per minute' },
  { value: 'pro', label: 'Pro: 300 requests per minute' },
  { value: 'team', label: 'Team: 600 requests per minute' },
] as const;

export function OrganizationPart() {
  const organization = useQuery(organizationQuery);
  return (
    <>
      <Panel title="Organization">
        <Loaded query={organization} height={340}>
          {(data) => <OrganizationForm key={data.updated_at} organization={data} />}
        </Loaded>
      </Panel>
      {organization.data && <DeleteOrganization name={organization.data.name} />}
    </>
  );
}

function OrganizationForm({ organization }: { organization: Organization }) {
  const [name, setName] = useState(organization.name);
  const [login, setLogin] = useState(organization.login ?? '');
  const [plan, setPlan] = useState(organization.plan);
  const whyNot = useWhyNot();
  const reason = whyNot({ role: 'admin', scope: 'admin' });
  const planReason = whyNot({ role: 'owner', scope: 'admin' });
  const change = useChange({
    act: async () => {
      const newLogin = login.trim() || null;
      const body = {
        ...(name !== organization.name && { name }),
        ...(newLogin !== organization.login && { login: newLogin }),
        ...(plan !== organization.plan && { plan }),
      };
      await api.PUT('/api/v1/organization', { body });
    },
    done: 'Organization saved.',
    refresh: [organizationKey, ['session']],
    isErrorShown: true,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate(undefined);
      }}
    >
      <Stack>
        <RightsNote reason={reason} />
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <TextInput
            label="Name"
            required
            maxLength={255}
            disabled={reason !== null}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errorOf(change.error, 'name')}
          />
          <TextInput
            label="Login"
            description="The name at your provider, such as acme in github.com/acme."
            maxLength={255}
            disabled={reason !== null}
            value={login}
            onChange={(event) => setLogin(event.currentTarget.value)}
            error={errorOf(change.error, 'login')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
          />
          <Choice
            label="Plan"
            description={planReason ?? 'Sets the retention and the API rate limit.'}
            options={plans}
            disabled={planReason !== null}
            value={plan}
            onChange={setPlan}
            error={errorOf(change.error, 'plan')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
          />
          <CopyField label="ID" what="the organization ID" value={organization.org_id} />
        </SimpleGrid>
        <FormError error={change.error} fields={['name', 'login', 'plan']} />
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            Created <When at={organization.created_at} />
          </Text>
          <Button type="submit" disabled={reason !== null} loading={change.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
