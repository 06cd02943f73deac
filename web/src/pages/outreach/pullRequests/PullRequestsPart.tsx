import { Button, Code, Fieldset, NumberInput, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { api } from '../../../api/client.ts';
import { sourcesQuery } from '../../../api/queries.ts';
import { type Answer, dataQuery } from '../../../api/query.ts';
import { timeColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { below, PageForm } from '../../../ui/Form.tsx';
import { Loaded, Loading } from '../../../ui/Loaded.tsx';
import { DescriptionList, Panel } from '../../../ui/Panel.tsx';
import { ResourcePanel } from '../../../ui/ResourcePanel.tsx';
import { RightsNote, useWhyNot } from '../../../ui/rights.tsx';
import { Step } from '../../../ui/Steps.tsx';
import { InText, Note, StatusBadge, TextLink } from '../../../ui/text.tsx';
import { changesOf } from '../../../ui/typed.ts';
import { faultAt } from '../../../ui/useChange.ts';
import { CommentPreview } from './CommentPreview.tsx';

const settingsPath = '/api/v1/pull-request-settings';
const commentsPath = '/api/v1/pull-request-comments';

type Settings = Answer<typeof settingsPath>;
type Comment = Answer<typeof commentsPath>[number];

const settingsQuery = dataQuery(settingsPath);
const commentsQuery = dataQuery(commentsPath);

export function PullRequestsPart() {
  const settings = useQuery(settingsQuery);
  const comments = useQuery(commentsQuery);
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  // Waits for the note about the App, which would push the form and what follows down later.
  const { isLoading: isNoteAwaited } = useQuery({ ...sourcesQuery, enabled: reason === null });
  const isWaiting = settings.isPending || isNoteAwaited;
  const isUnused = settings.data?.enabled === false && comments.data?.length === 0;
  return (
    <Stack gap="lg">
      <RightsNote reason={reason} />
      <Note>
        For what pull requests cost until they are merged, see{' '}
        <InText href="/pull-requests">Pull requests</InText>.
      </Note>
      <Panel title="Comment and check">
        <Loaded query={settings} height={reason === null ? 310 : 72}>
          {(data) =>
            reason === null ? (
              isNoteAwaited ? (
                <Loading height={310} />
              ) : (
                <ConnectFirst settings={data}>
                  <SettingsForm settings={data} />
                </ConnectFirst>
              )
            ) : (
              <DescriptionList
                items={[
                  ['Comments on pull requests', data.enabled ? 'On' : 'Off'],
                  ['The check fails', data.fail_above === null ? 'Never' : `Above $${data.fail_above}`],
                  ['Pull requests with fixes', data.open_fixes ? 'On' : 'Off'],
                ]}
              />
            )
          }
        </Loaded>
      </Panel>
      {settings.data && !isWaiting && <CommentPreview failAbove={settings.data.fail_above} />}
      {!isWaiting && !isUnused && (
        <ResourcePanel
          label="Recent comments"
          query={comments}
          columns={columns}
          keyOf={nameOf}
          minWidth={640}
          lead={
            comments.data?.length !== 0 &&
            'The latest 20. If one could not be written, Runcost tries again when the next run of its pull request ends.'
          }
          empty={{
            title: 'No comments yet',
            text: 'They appear here after the next run of a pull request has ended.',
          }}
        />
      )}
    </Stack>
  );
}

/** The limit as typed: the field returns "2." and "05" as texts. */
const valuesOf = ({ enabled, fail_above: limit, open_fixes }: Settings) => ({
  enabled,
  open_fixes,
  fail_above: (limit ?? '') as number | string,
});

function SettingsForm({ settings }: { settings: Settings }) {
  return (
    <PageForm
      initial={valuesOf(settings)}
      fields={({ input }) => [
        {
          name: 'enabled',
          kind: 'switch',
          label: 'Comment on pull requests',
          description:
            'One comment and one check for each, in every repository where your GitHub App is installed. Whoever can read a pull request sees its cost.',
        },
        <LimitField {...input('fail_above')} />,
        {
          name: 'open_fixes',
          kind: 'switch',
          label: 'Open pull requests with fixes',
          description:
            'Only when an admin asks for one on the page Waste, and never on the default branch. The App needs Contents: write, Workflows: write and Pull requests: write.',
        },
      ]}
      act={async ({ enabled, fail_above: typed, open_fixes }) => {
        const limit = typed === '' ? null : Number(typed);
        if (Number.isNaN(limit)) throw faultAt('fail_above', 'Enter an amount, or leave it empty.');
        const asked: Settings = { ...settings, enabled, fail_above: limit, open_fixes };
        await api.PUT(settingsPath, { body: changesOf(settings, asked) });
      }}
      done="Pull request settings saved."
      refresh={[[settingsPath]]}
    />
  );
}

type LimitProps = {
  value: number | string;
  onChange: (typed: number | string) => void;
  error: string | null;
};

function LimitField(props: LimitProps) {
  return (
    <NumberInput
      label="Fail the check above"
      description="In list cost per pull request. Leave empty so that it never fails."
      prefix="$"
      placeholder="No limit"
      hideControls
      min={0}
      max={1_000_000_000}
      decimalScale={9}
      clampBehavior="none"
      styles={{ wrapper: { maxWidth: 220 } }}
      {...below}
      {...props}
    />
  );
}

/** Without an App, turning it on would do nothing. It can still be turned off. */
function ConnectFirst({ settings, children }: { settings: Settings; children: ReactNode }) {
  const { data: sources } = useQuery(sourcesQuery);
  const needs = (
    <Note>
      The App needs <Code className="unbroken">Pull requests: write</Code> and{' '}
      <Code className="unbroken">Checks: write</Code>, and to estimate changed workflows also{' '}
      <Code className="unbroken">Contents: read</Code>.
    </Note>
  );
  const isConnected = !sources || sources.some(({ has_app_key: hasKey }) => hasKey);
  // The form stays at the same place in the tree, so that a connection in another tab does not clear it.
  return (
    <ol className={isConnected ? 'single-step' : 'steps'} role={isConnected ? 'none' : undefined}>
      {!isConnected && (
        <Step title="Connect a GitHub App">
          <Text size="sm">It writes the comment and the check. Without one, nothing is written.</Text>
          {needs}
          <div>
            <Button component={Link} href="/sources/github-app">
              Connect GitHub
            </Button>
          </div>
        </Step>
      )}
      <li>
        <Fieldset
          disabled={!isConnected && !settings.enabled}
          variant="unstyled"
          p={0}
          m={0}
          legend={
            isConnected ? (
              <VisuallyHidden>Comment and check</VisuallyHidden>
            ) : (
              <Text component="h3" size="sm" fw={600}>
                Turn it on
              </Text>
            )
          }
        >
          <Stack>
            {isConnected && needs}
            {children}
          </Stack>
        </Fieldset>
      </li>
    </ol>
  );
}

const nameOf = ({ repository, pull_request: number }: Comment) => `${repository}#${number}`;

function costsOf({ repository, pull_request: number }: Comment): string {
  const query = new URLSearchParams({ group_by: 'job', repository, pull_request: String(number) });
  return `/explore?${query.toString()}`;
}

function reasonsOf({ error, note, is_comment_deleted: isDeleted }: Comment): string[] {
  const deleted = 'Somebody deleted the comment, so only the check is kept up to date.';
  return [
    ...(error === null ? [] : [error]),
    ...(note === null ? [] : [note]),
    ...(isDeleted ? [deleted] : []),
  ];
}

const columns: Column<Comment>[] = [
  {
    title: 'Pull request',
    value: nameOf,
    cell: (comment) => (
      <TextLink href={costsOf(comment)} size="sm" fw={500}>
        {nameOf(comment)}
      </TextLink>
    ),
  },
  {
    title: 'Status',
    value: ({ status }) => status,
    cell: (comment) => (
      <>
        <StatusBadge status={comment.status} />
        {reasonsOf(comment).map((text) => (
          <Note key={text}>{text}</Note>
        ))}
      </>
    ),
    className: 'breaking',
  },
  timeColumn('Written', ({ written_at: at }) => at),
  timeColumn('Next', ({ due_at: at }) => at, { isHiddenOnPhones: true, look: { isNext: true } }),
];
