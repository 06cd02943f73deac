import { Button, Text, Box } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { Explanation } from '../../../alerts/types.ts';
import { countOf } from '../../../ui/figures.ts';
import { Money } from '../../../ui/Money.tsx';
import { RepositoryName, sharedOwner } from '../../../ui/RepositoryName.tsx';
import { TextLink } from '../../../ui/TextLink.tsx';
import { WideTable } from '../../../ui/WideTable.tsx';
import { longestOf, partNames, parts, shownOf, type Change } from './explained.ts';
import '../../../charts/charts.css';

const shownAtFirst = 10;

/** The change by workflow in four parts. Columns add up to the last row, rows to their change. */
export function ChangeTable({ explanation }: { explanation: Explanation }) {
  const [isAll, setIsAll] = useState(false);
  const shown = shownOf(explanation, isAll ? Infinity : shownAtFirst);
  const longest = longestOf(shown);
  const owner = sharedOwner(shown.workflows.map(({ repo_name: name }) => name));
  const more = explanation.workflows.length - shownAtFirst;
  return (
    <>
      <WideTable keepsLast label="The change by workflow" minWidth={900} wraps>
        <thead>
          <Head />
        </thead>
        <tbody>
          {shown.workflows.map((workflow) => (
            <Row key={workflow.workflow_id} change={workflow} longest={longest}>
              <TextLink href={`/workflows/${workflow.workflow_id}`} inherit fw={600}>
                {workflow.workflow_name}
              </TextLink>
              <Text size="xs" c="dimmed">
                <RepositoryName name={workflow.repo_name} owner={owner} />
              </Text>
            </Row>
          ))}
          {shown.others.workflows > 0 && (
            <Row change={shown.others} longest={longest}>
              {countOf(shown.others.workflows, 'other workflow')}
            </Row>
          )}
        </tbody>
        <tfoot>
          <Sum change={shown.all} />
        </tfoot>
      </WideTable>
      {more > 0 && (
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => setIsAll(!isAll)}
          aria-expanded={isAll}
          style={{ alignSelf: 'flex-start' }}
        >
          {isAll ? `Show only the first ${shownAtFirst}` : `Show ${more} more`}
        </Button>
      )}
    </>
  );
}

function Head() {
  return (
    <tr>
      <th scope="col">Workflow</th>
      {['Before', 'Now', ...parts.map((part) => partNames[part]), 'Change'].map((name) => (
        <th key={name} scope="col" className="number">
          {name}
        </th>
      ))}
    </tr>
  );
}

function Row({ change, longest, children }: { change: Change; longest: number; children: ReactNode }) {
  return (
    <tr>
      <th scope="row" style={{ overflowWrap: 'anywhere', minWidth: 180, maxWidth: 320 }}>
        {children}
      </th>
      <td className="number">
        <Money amount={change.baseline} />
      </td>
      <td className="number">
        <Money amount={change.observed} />
      </td>
      {[...parts, 'change' as const].map((part) => (
        <td key={part} className="number">
          <ChangeBar amount={change[part]} longest={longest} />
        </td>
      ))}
    </tr>
  );
}

function Sum({ change }: { change: Change }) {
  return (
    <tr style={{ fontWeight: 700 }}>
      <th scope="row">Total</th>
      <td className="number">
        <Money amount={change.baseline} />
      </td>
      <td className="number">
        <Money amount={change.observed} />
      </td>
      {[...parts, 'change' as const].map((part) => (
        <td key={part} className="number">
          <SignedMoney amount={change[part]} />
        </td>
      ))}
    </tr>
  );
}

function ChangeBar({ amount, longest }: { amount: number; longest: number }) {
  const share = longest === 0 ? 0 : (Math.abs(amount) / longest) * 50;
  return (
    <>
      <SignedMoney amount={amount} />
      <Box pos="relative" h={4} mt={4} miw={72} bg="var(--mantine-color-default-border)" aria-hidden>
        <Box
          pos="absolute"
          h="100%"
          w={`${share}%`}
          bg={amount > 0 ? 'var(--chart-up)' : 'var(--chart-down)'}
          style={{ [amount > 0 ? 'left' : 'right']: '50%' }}
        />
      </Box>
    </>
  );
}

function SignedMoney({ amount }: { amount: number }) {
  return (
    <Text span inherit style={{ whiteSpace: 'nowrap' }}>
      {amount > 0 ? '+' : ''}
      <Money amount={amount} />
    </Text>
  );
}
