import { Anchor, Button, Table, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { countOf } from '../../shown/figures.ts';
import { Money } from '../../shown/Money.tsx';
import { WideTable } from '../../shown/WideTable.tsx';
import { ChangeBar, SignedMoney } from './ChangeBar.tsx';
import { longestOf, partMeanings, partNames, parts, shownOf, type Change } from './explained.ts';
import type { Explanation } from './types.ts';

const shownAtFirst = 10;

/** The change by workflow, split into its four parts; every column adds up to its last row, every row to its change. */
export function ChangeTable({ explanation }: { explanation: Explanation }) {
  const [isAll, setIsAll] = useState(false);
  const shown = shownOf(explanation, isAll ? Infinity : shownAtFirst);
  const longest = longestOf(shown);
  const more = explanation.workflows.length - shownAtFirst;
  return (
    <>
      <WideTable
        label="The change by workflow"
        minWidth={900}
        fz="sm"
        verticalSpacing={6}
        horizontalSpacing="sm"
        style={{ whiteSpace: 'normal' }}
      >
        <Table.Thead>
          <Head />
        </Table.Thead>
        <Table.Tbody>
          {shown.workflows.map((workflow) => (
            <Row key={workflow.workflow_id} change={workflow} longest={longest}>
              <Anchor component={Link} href={`/workflows/${workflow.workflow_id}`} inherit fw={600}>
                {workflow.workflow_name}
              </Anchor>
              <Text size="xs" c="dimmed">
                {workflow.repo_name}
              </Text>
            </Row>
          ))}
          {shown.others.workflows > 0 && (
            <Row change={shown.others} longest={longest}>
              {countOf(shown.others.workflows, 'other workflow')}
            </Row>
          )}
        </Table.Tbody>
        <Table.Tfoot>
          <Sum change={shown.all} />
        </Table.Tfoot>
      </WideTable>
      {more > 0 && (
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => setIsAll(!isAll)}
          aria-expanded={isAll}
          style={{ alignSelf: 'flex-start' }}
        >
          {isAll ? `Show the first ${shownAtFirst} only` : `Show ${more} more`}
        </Button>
      )}
    </>
  );
}

function Head() {
  return (
    <Table.Tr>
      <Table.Th scope="col">Workflow</Table.Th>
      {['Before', 'Now', ...parts.map((part) => partNames[part]), 'Change'].map((name) => (
        <Table.Th key={name} scope="col" className="number">
          {name}
        </Table.Th>
      ))}
    </Table.Tr>
  );
}

function Row({ change, longest, children }: { change: Change; longest: number; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400} miw={180} maw={320} style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Table.Th>
      <Table.Td className="number">
        <Money amount={change.baseline} />
      </Table.Td>
      <Table.Td className="number">
        <Money amount={change.observed} />
      </Table.Td>
      {[...parts, 'change' as const].map((part) => (
        <Table.Td key={part} className="number">
          <ChangeBar amount={change[part]} longest={longest} />
        </Table.Td>
      ))}
    </Table.Tr>
  );
}

function Sum({ change }: { change: Change }) {
  return (
    <Table.Tr fw={700}>
      <Table.Th scope="row">All together</Table.Th>
      <Table.Td className="number">
        <Money amount={change.baseline} />
      </Table.Td>
      <Table.Td className="number">
        <Money amount={change.observed} />
      </Table.Td>
      {[...parts, 'change' as const].map((part) => (
        <Table.Td key={part} className="number">
          <SignedMoney amount={change[part]} />
        </Table.Td>
      ))}
    </Table.Tr>
  );
}

/** The change as a sum: what was spent before, the four parts, and what is spent now. */
export function ChangeSum({ explanation }: { explanation: Explanation }) {
  const { all } = shownOf(explanation, 0);
  return (
    <Table fz="sm" verticalSpacing={6} maw={560} withRowBorders={false}>
      <Table.Tbody>
        <SumRow label="Before">
          <Money amount={all.baseline} />
        </SumRow>
        {parts.map((part) => (
          <SumRow key={part} label={partNames[part]} about={partMeanings[part]}>
            <ChangeBar amount={all[part]} longest={longestPart(all)} />
          </SumRow>
        ))}
      </Table.Tbody>
      <Table.Tfoot>
        <SumRow label="Now" about="what triggered it">
          <strong>
            <Money amount={all.observed} />
          </strong>
        </SumRow>
      </Table.Tfoot>
    </Table>
  );
}

function longestPart(change: Change): number {
  return Math.max(...parts.map((part) => Math.abs(change[part])));
}

function SumRow({ label, about, children }: { label: string; about?: string; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" pl={0}>
        {label}
        {about && (
          <Text span inherit fw={400} c="dimmed">
            {' '}
            {about}
          </Text>
        )}
      </Table.Th>
      <Table.Td className="number" w={150}>
        {children}
      </Table.Td>
    </Table.Tr>
  );
}
