import { Text } from '@mantine/core';
import type { Message } from '../../../alerts/types.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { When } from '../../../ui/When.tsx';
import { WideTable } from '../../../ui/WideTable.tsx';

const channels = { email: 'Email', chat: 'Chat' };

export function Messages({ messages }: { messages: Message[] }) {
  if (messages.length === 0) {
    return (
      <Text size="sm">
        No notifications. Emails were off and no channel was set, or the notifications are older than 30 days.
      </Text>
    );
  }
  return (
    <WideTable label="Notifications" minWidth={640} wraps>
      <thead>
        <tr>
          <th scope="col">Channel</th>
          <th scope="col">Recipient</th>
          <th scope="col">Status</th>
          <th scope="col" className="number">
            Attempts
          </th>
          <th scope="col">Sent</th>
          <th scope="col">Last error</th>
        </tr>
      </thead>
      <tbody>
        {messages.map((message, index) => (
          <tr key={index}>
            <td>{channels[message.channel]}</td>
            <td style={{ overflowWrap: 'anywhere' }}>{message.recipient ?? 'your channel'}</td>
            <td>
              <StatusBadge status={message.status} />
            </td>
            <td className="number">{message.attempts}</td>
            <td>
              <SentAt message={message} />
            </td>
            <td style={{ overflowWrap: 'anywhere', maxWidth: 320 }}>{message.last_error ?? '–'}</td>
          </tr>
        ))}
      </tbody>
    </WideTable>
  );
}

function SentAt({ message }: { message: Message }) {
  if (message.next_attempt_at === null) return <When at={message.sent_at} />;
  return (
    <>
      retry <When at={message.next_attempt_at} isNext />
    </>
  );
}
