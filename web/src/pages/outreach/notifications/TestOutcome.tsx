import { Alert } from '@mantine/core';
import { api } from '../../../api/client.ts';
import type { paths } from '../../../api/schema.d.ts';
import { useChange } from '../../../ui/useChange.ts';

type TestEmail = paths['/api/v1/members/{id}/test-email']['post'];
type Outcome = TestEmail['responses'][200]['content']['application/json']['data'];

export function useTestEmail() {
  return useChange({
    act: async (memberId: string) => {
      const params = { path: { id: memberId } };
      return (await api.POST('/api/v1/members/{id}/test-email', { params })).data!.data;
    },
    isErrorShown: true,
  });
}

export function TestOutcome({ outcome, recipient }: { outcome: Outcome | undefined; recipient: string }) {
  return (
    // Takes no room while it is empty.
    <div role="status" style={outcome ? undefined : { position: 'absolute' }}>
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
            ? `${recipient} accepted the test message. Check that it arrived.`
            : outcome.error}
        </Alert>
      )}
    </div>
  );
}
