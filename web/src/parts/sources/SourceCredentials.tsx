import { Group, Radio, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { sourcesKey, type Source } from '../../api/queries.ts';
import { dataQuery } from '../../api/query.ts';
import { Form, type Item } from '../../ui/Form.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { SmallButton } from '../../ui/rights.tsx';
import { InText, Note, TextLink, When } from '../../ui/text.tsx';
import { useChange } from '../../ui/useChange.ts';

/** Also of `usageImportsQuery` of the page of backfills. */
const usageImportsKey = ['/api/v1/usage-imports'];

const keyOf = (id: string) => ['/api/v1/sources/{id}/credentials', id];

export const credentialsQuery = (id: string) =>
  dataQuery('/api/v1/sources/{id}/credentials', { path: { id } });

const none = {
  kind: 'token',
  token: '',
  organization_id: '',
  app_id: '',
  installation_id: '',
  private_key: '',
};

const appFields: Item<typeof none>[] = [
  [
    { name: 'app_id', label: 'App ID or client ID', maxLength: 40, required: true },
    {
      name: 'installation_id',
      label: 'Installation ID',
      inputMode: 'numeric',
      maxLength: 20,
      required: true,
    },
  ],
  {
    name: 'private_key',
    kind: 'lines',
    label: 'Private key',
    description: 'The .pem file that GitHub generated for the App.',
    minRows: 3,
    maxRows: 6,
    spellCheck: false,
    styles: { input: { fontFamily: 'var(--mantine-font-family-monospace)' } },
    required: true,
  },
];

const tokenFields: Item<typeof none>[] = [
  { name: 'token', kind: 'secret', label: 'Token', maxLength: 1_000, required: true },
];

/** Of CircleCI. */
const usageFields: Item<typeof none>[] = [
  { name: 'token', kind: 'secret', label: 'Personal API token', maxLength: 1_000, required: true },
  {
    name: 'organization_id',
    label: 'Organization ID',
    description: 'Copy it at CircleCI from Organization Settings, Overview.',
    maxLength: 64,
    required: true,
    spellCheck: false,
  },
];

type Props = { source: Source; onClose: () => void };

export function SourceCredentials({ source, onClose }: Props) {
  return source.kind === 'circleci' ? (
    <UsageCredentials source={source} onClose={onClose} />
  ) : (
    <BackfillCredentials source={source} onClose={onClose} />
  );
}

function UsageCredentials({ source, onClose }: Props) {
  return (
    <Form
      title={`Credentials of ${source.name}`}
      label="Save"
      initial={none}
      fields={[
        <Text size="sm">
          CircleCI’s events do not say on which resource class a job ran. With a personal API token, Runcost
          reads the usage data of the last 30 days and of every new day (
          <TextLink href="/history" underline="always">
            History
          </TextLink>
          ): each job gets its class and parallelism, and so its price.
        </Text>,
        <Current source={source} />,
        ...usageFields,
      ]}
      act={({ token, organization_id }) =>
        api.PUT('/api/v1/sources/{id}/credentials', {
          params: { path: { id: source.id } },
          body: { kind: 'circleci', token, organization_id },
        })
      }
      done="Token saved. We now read the usage data every night."
      refresh={[keyOf(source.id), sourcesKey, usageImportsKey]}
      onClose={onClose}
    />
  );
}

function BackfillCredentials({ source, onClose }: Props) {
  return (
    <Form
      title={`Credentials of ${source.name}`}
      label="Save"
      initial={none}
      fields={({ values: { kind }, change }) => [
        <Text size="sm">
          With a token or a GitHub App, Runcost can read runs from before you connected it (
          <TextLink href="/history" underline="always">
            History
          </TextLink>
          ), and checks for missed runs every night. Either one needs only the repository permission “Actions:
          read”.
        </Text>,
        <Current source={source} />,
        <Radio.Group label="Credential type" value={kind} onChange={(chosen) => change({ kind: chosen })}>
          <Group gap="lg" mt="xs">
            <Radio value="token" label="Fine-grained token" />
            <Radio value="app" label="GitHub App" />
          </Group>
        </Radio.Group>,
        ...(kind === 'token' ? tokenFields : appFields),
      ]}
      act={({ kind, token, organization_id: _, ...app }) => {
        const body = kind === 'token' ? { kind: 'token' as const, token } : { kind: 'app' as const, ...app };
        return api.PUT('/api/v1/sources/{id}/credentials', { params: { path: { id: source.id } }, body });
      }}
      done="Credentials saved. We now check for missed runs every night."
      refresh={[keyOf(source.id), sourcesKey]}
      onClose={onClose}
    />
  );
}

function Current({ source }: { source: Source }) {
  const path = { id: source.id };
  const credentials = useQuery(credentialsQuery(source.id));
  const remove = useChange({
    act: () => api.DELETE('/api/v1/sources/{id}/credentials', { params: { path } }),
    done: 'Credentials removed.',
    refresh: [keyOf(source.id), sourcesKey],
  });
  return (
    <Loaded query={credentials} height={56}>
      {(set) =>
        set === null ? (
          <Text size="sm">No credentials yet.</Text>
        ) : (
          <Group justify="space-between" gap="xs">
            <Stack gap={2}>
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {set.kind === 'app' ? set.hint : `Token ${set.hint}`}, set by {set.set_by}{' '}
                <When at={set.set_at} />
              </Text>
              {set.is_polled && <Text size="sm">GitHub is asked for new runs every 10 minutes.</Text>}
              <Note>
                {set.checked_at === null ? (
                  'No nightly check yet.'
                ) : (
                  <>
                    Last nightly check: <When at={set.checked_at} />.{' '}
                    <InText href="/history">See the result</InText>
                  </>
                )}
              </Note>
            </Stack>
            <SmallButton loading={remove.isPending} onClick={() => remove.mutate(undefined)}>
              Remove
            </SmallButton>
          </Group>
        )
      }
    </Loaded>
  );
}
