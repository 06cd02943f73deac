import { Table, Text } from '@mantine/core';
import { StatusBadge } from '../../shown/StatusBadge.tsx';
import { When } from '../../shown/When.tsx';
import { WideTable } from '../../shown/WideTable.tsx';
import type { Message } from './types.ts';

const channels = { email: 'Email', chat: 'Chat' };

/** What became of each message about a trigger. */
export function Messages({ messages }: { messages: Message[] }) {
  if (messages.length === 0) {
    return (
      <Text size="sm">
        There is none: nobody was to be told by email and no chat was set, or the messages are older than 30
        days.
      </Text>
    );
  }
  return (
    <WideTable
      label="Messages sent"
      minWidth={640}
      fz="sm"
      verticalSpacing={6}
      horizontalSpacing="sm"
      style={{ whiteSpace: 'normal' }}
    >
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Channel</Table.Th>
          <Table.Th scope="col">To</Table.Th>
          <Table.Th scope="col">Status</Table.Th>
          <Table.Th scope="col" className="number">
            Attempts
          </Table.Th>
          <Table.Th scope="col">Sent</Table.Th>
          <Table.Th scope="col">Last error</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {messages.map((message, index) => (
          <Table.Tr key={index}>
            <Table.Td>{channels[message.channel]}</Table.Td>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              {message.recipient ?? 'the organization’s chat'}
            </Table.Td>
            <Table.Td>
              <StatusBadge status={message.status} />
            </Table.Td>
            <Table.Td className="number">{message.attempts}</Table.Td>
            <Table.Td>
              <SentAt message={message} />
            </Table.Td>
            <Table.Td maw={320} style={{ overflowWrap: 'anywhere' }}>
              {message.last_error ?? '–'}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

function SentAt({ message }: { message: Message }) {
  if (message.next_attempt_at === null) return <When at={message.sent_at} />;
  return (
    <>
      next try <When at={message.next_attempt_at} />
    </>
  );
}
