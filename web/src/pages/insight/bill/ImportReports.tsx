import { Anchor, Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useRef, useState, type DragEvent } from 'react';
import { AllowedButton, useWhyNot } from '../../../ui/rights.tsx';
import { ImportResult } from './ImportResult.tsx';
import { useImports, type Upload } from './useImports.ts';

export function ImportReports() {
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  const { upload, outcomes, send, sendAgain, stop } = useImports();
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    if (reason === null) send([...event.dataTransfer.files]);
  };
  return (
    <Stack gap="sm">
      <Paper
        withBorder
        p="lg"
        onDragOver={(event) => {
          event.preventDefault();
          setOver(reason === null);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        style={{
          borderStyle: 'dashed',
          borderWidth: 2,
          ...(isOver && { borderColor: 'var(--mantine-primary-color-filled)' }),
        }}
      >
        <Stack gap="xs" align="center" ta="center" mih={104} justify="center">
          {upload ? (
            <Sending {...upload} onStop={stop} />
          ) : (
            <>
              <Text>Drop CSV usage reports here</Text>
              <AllowedButton reason={reason} onClick={() => input.current?.click()}>
                Choose files
              </AllowedButton>
              <Text size="sm" c="dimmed">
                Importing a file twice counts it once. Where reports overlap, the latest one counts.
              </Text>
            </>
          )}
        </Stack>
        <input
          ref={input}
          type="file"
          accept=".csv,text/csv"
          multiple
          hidden
          aria-label="Usage reports"
          onChange={(event) => {
            const files = [...(event.currentTarget.files ?? [])];
            // So that the same file can be chosen again.
            event.currentTarget.value = '';
            send(files);
          }}
        />
      </Paper>
      <Stack gap="sm" aria-live="polite">
        {outcomes.map((outcome, index) => (
          <ImportResult
            key={`${index} ${outcome.file.name}`}
            outcome={outcome}
            isBusy={upload !== null}
            onOrder={(order) => sendAgain(outcome, order)}
          />
        ))}
      </Stack>
    </Stack>
  );
}

function Sending({ name, share, onStop }: Upload & { onStop: () => void }) {
  const isSent = share >= 1;
  return (
    <Stack gap="xs" w="100%" maw={520}>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {isSent ? `Reading ${name}…` : `Uploading ${name}…`}
      </Text>
      <Progress value={100 * share} animated={isSent} aria-label={`Import of ${name}`} />
      <Group justify="center">
        <Button size="compact-sm" variant="default" onClick={onStop}>
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}

export function WhereToGet() {
  return (
    <>
      To get a report, open your organization’s settings on GitHub and choose <b>Billing and licensing</b>,{' '}
      <b>Usage</b>, <b>Get usage report</b>. Choose the summarized report (up to a year) or the detailed
      report (up to 31 days). GitHub emails you a link to the CSV file.{' '}
      <Anchor
        href="https://docs.github.com/en/billing/reference/billing-reports"
        target="_blank"
        rel="noreferrer"
        underline="always"
      >
        About these reports
      </Anchor>
    </>
  );
}
