import { Alert } from '@mantine/core';

type Outcome = { delivered: boolean; error: string | null };

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
        >
          {outcome.delivered
            ? `${recipient} accepted the test message. Check that it arrived.`
            : outcome.error}
        </Alert>
      )}
    </div>
  );
}
