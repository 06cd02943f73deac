import { Anchor, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useRef, useState, type DragEvent, type ReactNode } from 'react';
import { FileInput } from '../../../ui/FileInput.tsx';
import { PageTitle } from '../../../ui/Panel.tsx';
import { AllowedButton, SmallButton, useWhyNot } from '../../../ui/rights.tsx';
import { LongText, Note } from '../../../ui/text.tsx';
import { ImportResult } from './ImportResult.tsx';
import { useImports, type Upload } from './useImports.ts';

type Props = {
  title: string;
  about: string;
  /** Whether a button opens the file field. */
  isCollapsed: boolean;
  /** Beside that button. */
  actions: ReactNode;
  /** Between the title and the file field. */
  children?: ReactNode;
};

export function ImportReports({ title, about, isCollapsed, actions, children }: Props) {
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  const { upload, outcomes, send, sendAgain, stop } = useImports();
  const [isOver, setOver] = useState(false);
  const [isAsked, setIsAsked] = useState(false);
  const isOpen = !isCollapsed || isAsked || upload !== null;
  const input = useRef<HTMLInputElement>(null);

  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    if (reason === null) send([...event.dataTransfer.files]);
  };
  return (
    <>
      <PageTitle title={title} about={about}>
        {isCollapsed && actions}
        {isCollapsed && (
          <AllowedButton
            size="xs"
            reason={reason}
            aria-expanded={isOpen}
            aria-controls="import-reports"
            onClick={() => setIsAsked(!isAsked)}
          >
            Import a report
          </AllowedButton>
        )}
      </PageTitle>
      {children}
      <Stack gap="sm" id="import-reports" display={isOpen || outcomes.length > 0 ? undefined : 'none'}>
        <Paper
          withBorder
          p="lg"
          className={isOver ? 'drop-zone is-over' : 'drop-zone'}
          display={isOpen ? undefined : 'none'}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(reason === null);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={drop}
        >
          <Stack gap="xs" align="center" ta="center" mih={104} justify="center">
            {upload ? (
              <Sending {...upload} onStop={stop} />
            ) : (
              <Ready reason={reason} isFirst={!isCollapsed} onChoose={() => input.current?.click()} />
            )}
          </Stack>
          <FileInput ref={input} label="Bill reports" multiple onFiles={send} />
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
    </>
  );
}

type ReadyProps = { reason: string | null; isFirst: boolean; onChoose: () => void };

function Ready({ reason, isFirst, onChoose }: ReadyProps) {
  return (
    <>
      <Text fw={600}>Drop CSV bill reports here</Text>
      <AllowedButton reason={reason} onClick={onChoose}>
        Choose files
      </AllowedButton>
      <Note>Importing a file twice counts it once. If reports overlap, the latest one counts.</Note>
      {isFirst && (
        <Note maw={560} mt="sm">
          <WhereToGet />
        </Note>
      )}
    </>
  );
}

function Sending({ name, share, onStop }: Upload & { onStop: () => void }) {
  const isSent = share >= 1;
  return (
    <Stack gap="xs" w="100%" maw={520}>
      <LongText>{isSent ? `Reading ${name}…` : `Uploading ${name}…`}</LongText>
      <Progress value={100 * share} animated={isSent} aria-label={`Import of ${name}`} />
      <Group justify="center">
        <SmallButton onClick={onStop}>Cancel</SmallButton>
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
