import { Alert } from '@mantine/core';
import { api } from '../../../api/client.ts';
import type { paths } from '../../../api/schema.d.ts';
import { useChange } from '../../../ui/useChange.ts';

type TestChat = paths['/api/v1/organization/chat-webhook/test']['post'];
type Outcome = TestChat['responses'][200]['content']['application/json']['data'];
type Chat = { url?: string; format: 'slack' | 'teams' | 'discord' | 'json' };

/** Sends a test message to the chat as it stands in the form; without a URL, to the saved one. */
export function useTestChat() {
  return useChange({
    act: async (chat: Chat) =>
      (await api.POST('/api/v1/organization/chat-webhook/test', { body: chat })).data!.data,
    isFaultShown: true,
  });
}

export function useTestEmail() {
  return useChange({
    act: async (memberId: string) => {
      const params = { path: { id: memberId } };
      return (await api.POST('/api/v1/members/{id}/test-email', { params })).data!.data;
    },
    isFaultShown: true,
  });
}

/** Says what became of a test message; `taker` is who should have taken it. */
export function TestOutcome({ outcome, taker }: { outcome: Outcome | undefined; taker: string }) {
  return (
    <div role="status">
      {outcome && (
        <Alert
          variant="outline"
          color={outcome.delivered ? 'green' : 'red'}
          p="xs"
          title={outcome.delivered ? 'Sent' : 'Not delivered'}
          style={{ overflowWrap: 'anywhere' }}
          styles={{ title: { color: 'var(--mantine-color-text)' } }}
        >
          {outcome.delivered
            ? `${taker} has taken the test message. Look whether it is there.`
            : outcome.error}
        </Alert>
      )}
    </div>
  );
}
