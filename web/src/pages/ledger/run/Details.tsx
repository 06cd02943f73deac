import { Code, Group } from '@mantine/core';
import { IconBox, IconGitBranch, IconGitCommit, IconGitPullRequest, type Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { sentence } from '../../../ui/figures.ts';
import { DescriptionList, Panel } from '../../../ui/Panel.tsx';
import { InText, OutsideLink, When } from '../../../ui/text.tsx';
import { repositoryAddress } from '../../../ui/useAddress.ts';
import type { Run } from './queries.ts';

/** What was built, with links to the repository's costs and to the provider. */
export function Origin({ run: { repository, branch, commit, pull_request: request, pages } }: { run: Run }) {
  return (
    <Group gap="4px 16px">
      <Part icon={IconBox} name="Repository">
        <InText href={repositoryAddress(repository)}>{repository}</InText>
      </Part>
      {branch !== null && (
        <Part icon={IconGitBranch} name="Branch">
          <AtProvider href={pages.branch}>{branch}</AtProvider>
        </Part>
      )}
      {commit !== null && (
        <Part icon={IconGitCommit} name="Commit">
          <AtProvider href={pages.commit}>{commit.replace(/^([0-9a-f]{12})[0-9a-f]{28,}$/, '$1')}</AtProvider>
        </Part>
      )}
      {request !== null && (
        <Part icon={IconGitPullRequest} name="Pull request">
          <AtProvider href={pages.pull_request}>#{request}</AtProvider>
        </Part>
      )}
    </Group>
  );
}

function Part({ icon: Shape, name, children }: { icon: Icon; name: string; children: ReactNode }) {
  return (
    <span style={{ overflowWrap: 'anywhere' }}>
      <Shape
        size={15}
        stroke={1.6}
        role="img"
        aria-label={name}
        style={{ verticalAlign: -3, marginInlineEnd: 5 }}
      />
      {children}
    </span>
  );
}

/** Whether it says more than the badge beside the title. */
const isOwnWord = ({ conclusion, raw_conclusion: raw }: Run): boolean =>
  raw?.toLowerCase() !== conclusion?.toLowerCase();

const minuteOf = (instant: string): string => instant.slice(0, 16);

/** Who and what triggered the run, and when. Unreported values are left out. */
export function Details({ run }: { run: Run }) {
  const { event, actor, started_by: starter, started_at: started, completed_at: completed } = run;
  const isLater = started !== null && (run.attempt > 1 || minuteOf(started) !== minuteOf(run.created_at));
  return (
    <Panel title="Details">
      <DescriptionList
        className="run-detail"
        gap={0}
        cols={{ base: 1, sm: 3, lg: 5 }}
        verticalSpacing={{ base: 6, sm: 'sm' }}
        items={[
          event !== null && ['Event', sentence(event.replaceAll('_', ' '))],
          actor !== null && [
            'Triggered by',
            run.actor_kind === 'person' ? actor : `${actor} (${run.actor_kind})`,
          ],
          starter !== null && starter !== actor && ['Started by', starter],
          ['Created', <When at={run.created_at} full />],
          isLater && [
            run.attempt > 1 ? `Attempt ${run.attempt} started` : 'Started',
            <When at={started} full />,
          ],
          completed !== null && ['Completed', <When at={completed} full />],
          run.raw_conclusion !== null && isOwnWord(run) && ['Reported status', run.raw_conclusion],
          ['Run ID', <Code>{run.id}</Code>],
        ]}
      />
    </Panel>
  );
}

function AtProvider({ href, children }: { href: string | null; children: ReactNode }) {
  if (href === null) return children;
  return <OutsideLink href={href}>{children}</OutsideLink>;
}
