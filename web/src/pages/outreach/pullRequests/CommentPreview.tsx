import { Code, Group, Stack, Text } from '@mantine/core';
import { IconCircleCheckFilled, IconCircleXFilled, IconSquareFilled } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Mark } from '../../../layout/Logo.tsx';
import { dollars } from '../../../ui/figures.ts';
import { Panel } from '../../../ui/Panel.tsx';
import { Note } from '../../../ui/text.tsx';
import './pullRequests.css';

const cost = 4.18;

/** Written by the server, for an invented pull request. */
export function CommentPreview({ failAbove }: { failAbove: number | null }) {
  return (
    <Panel title="What it looks like" aside={<Note>An example</Note>}>
      <div className="pull-request-comment">
        <Group gap="xs" className="pull-request-author">
          <Mark size={20} />
          <Text size="sm">
            <b>runcost</b> commented
          </Text>
        </Group>
        <Stack gap="sm" p="md">
          <Text fw={700}>CI cost of this pull request so far: {dollars(cost)}</Text>
          <table aria-label="Cost of the pull request">
            <tbody>
              <Row name="Runs">6, re-run once</Row>
              <Row name="Jobs">42 jobs, 388 billed minutes</Row>
              <Row name="Net cost">$3.02 after free runners, included minutes and discounts</Row>
              <Row name="Waste">
                $0.61 (14.6%): rounding up to minutes $0.35, failed or canceled jobs $0.26
              </Row>
            </tbody>
          </table>
          <table>
            <thead>
              <tr>
                <th scope="col">Most expensive jobs</th>
                <th scope="col">Ran</th>
                <th scope="col">Cost</th>
              </tr>
            </thead>
            <tbody>
              <Job name="e2e" ran="6 times" cost="$2.40" />
              <Job name="test" ran="6 times" cost="$1.12" />
            </tbody>
          </table>
          <Text size="sm" c="var(--mantine-color-anchor)">
            Open in Runcost
          </Text>
        </Stack>
        <CheckLine failAbove={failAbove} />
      </div>
    </Panel>
  );
}

function CheckLine({ failAbove }: { failAbove: number | null }) {
  const [Icon, color, limit] =
    failAbove === null
      ? ([IconSquareFilled, 'dimmed', ''] as const)
      : cost > failAbove
        ? ([IconCircleXFilled, 'var(--change-up)', `, above the limit of ${dollars(failAbove)}`] as const)
        : ([IconCircleCheckFilled, 'var(--change-down)', `, limit ${dollars(failAbove)}`] as const);
  return (
    <Group gap="xs" className="pull-request-check" wrap="nowrap">
      <Text span c={color} lh={0}>
        <Icon size={18} aria-hidden />
      </Text>
      <Text size="sm">
        <b>Runcost</b>{' '}
        <Text span inherit c="dimmed">
          {dollars(cost)} so far{limit}
        </Text>
      </Text>
    </Group>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{children}</td>
    </tr>
  );
}

function Job({ name, ran, cost: own }: { name: string; ran: string; cost: string }) {
  return (
    <tr>
      <td>
        <Code>{name}</Code> in <Code>CI</Code>
      </td>
      <td>{ran}</td>
      <td>{own}</td>
    </tr>
  );
}
