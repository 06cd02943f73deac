import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Empty } from '../../ui/Empty.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { pageIn, useAddress } from '../../ui/useAddress.ts';
import { When } from '../../ui/When.tsx';
import { breaking, Columns, WideTable } from '../../ui/WideTable.tsx';
import { AuditDetails } from './AuditDetails.tsx';
import { namesIn } from './auditWords.ts';
import { auditQuery, membersQuery, tokensQuery, type AuditEntry } from './queries.ts';

export function AuditPart() {
  const [address, changeAddress] = useAddress();
  const audit = useQuery(auditQuery(pageIn(address)));
  return (
    <Panel title="Audit log">
      <Loaded query={audit} height={480}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="No changes yet">Every change to your organization appears here.</Empty>
          ) : (
            <Stack gap="sm">
              <AuditTable entries={data} />
              <Pager
                pagination={pagination}
                one="entry"
                many="entries"
                onPage={(page) => changeAddress({ page: String(page) })}
              />
            </Stack>
          )
        }
      </Loaded>
    </Panel>
  );
}

/** Null until loaded, so that no row grows afterwards. */
function useNames(): Map<string, string> | null {
  const tokens = useQuery(tokensQuery);
  const members = useQuery(membersQuery);
  if (tokens.isPending || members.isPending) return null;
  return new Map([
    ...(tokens.data ?? []).map(({ id, name }) => [id, name] as const),
    ...(members.data ?? []).map(({ id, email }) => [id, email] as const),
  ]);
}

function AuditTable({ entries }: { entries: AuditEntry[] }) {
  const names = useNames();
  if (!names) return <Loading height={480} />;
  const known = new Map([...namesIn(entries), ...names]);
  return (
    <WideTable label="Audit log" minWidth={920}>
      <Columns texts={['Time', 'Actor', 'Action', 'Target', 'Details']} />
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.id} style={{ verticalAlign: 'top' }}>
            <td>
              <When at={entry.created_at} />
            </td>
            <td style={{ ...breaking, minWidth: 190 }}>
              <Named id={entry.actor} names={known} />
            </td>
            <th scope="row">{entry.action}</th>
            <td style={breaking}>
              <Named id={entry.target} names={known} />
            </td>
            <td style={{ ...breaking, minWidth: 300 }}>
              <AuditDetails details={entry.details} names={known} />
            </td>
          </tr>
        ))}
      </tbody>
    </WideTable>
  );
}

function Named({ id, names }: { id: string; names: Map<string, string> }) {
  const name = names.get(id.split(' ').at(-1)!);
  return (
    <Stack gap={0}>
      {name !== undefined && <Text size="sm">{name}</Text>}
      <Text size={name === undefined ? 'sm' : 'xs'} {...(name !== undefined && { c: 'dimmed' })}>
        {id}
      </Text>
    </Stack>
  );
}
