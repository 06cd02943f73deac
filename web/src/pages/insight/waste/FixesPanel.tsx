import { Card, Group, Stack, Tabs, UnstyledButton } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { readCsv, type Body } from '../../../api/query.ts';
import { FixCaret, FixRow } from '../../../parts/waste/FixRow.tsx';
import { fixesPath, type Fix, type Fixes, type FixesQuery, type Status } from '../../../parts/waste/waste.ts';
import { CsvDownload } from '../../../ui/CsvButton.tsx';
import { count, countOf } from '../../../ui/figures.ts';
import { Pager } from '../../../ui/Pager.tsx';
import { SectionTitle } from '../../../ui/Panel.tsx';
import { TabsList } from '../../../ui/TabsList.tsx';
import { Money, Note, sharedOwner } from '../../../ui/text.tsx';
import { folded } from './folded.ts';
import { WorkflowsTable } from './WorkflowsTable.tsx';

export const shownNames = ['open', 'done', 'dismissed', 'workflows'] as const;
type Shown = (typeof shownNames)[number];

const titles: Record<Shown, string> = {
  open: 'To do',
  done: 'Done',
  dismissed: 'Dismissed',
  workflows: 'By workflow',
};

const empty: Record<Status, string> = {
  open: 'Nothing to change in this period.',
  done: 'Nothing is marked as done yet. A week after you mark a fix, this list says whether it saved.',
  dismissed: 'Nothing is dismissed.',
};

type Props = {
  /** Whether another tab or page of the list is loading. */
  isStale: boolean;
  shown: Shown;
  list: Body<typeof fixesPath>;
  range: Pick<FixesQuery, 'days' | 'from' | 'to'>;
  query: FixesQuery;
  page: number;
  onShow: (shown: Shown) => void;
  onPage: (page: number) => void;
};

export function FixesPanel({ isStale, shown, list: { data, pagination }, ...props }: Props) {
  const { range, query, page, onShow, onPage } = props;
  const largest = Math.max(...data.fixes.map(({ saving_per_month: saving }) => saving), 0.000001);
  const owner = sharedOwner(data.fixes.map(({ repository }) => repository));
  const rowOf = (fix: Fix) => <FixRow key={fix.id} fix={fix} range={range} largest={largest} owner={owner} />;
  return (
    <Card withBorder component="section" aria-label="What to change" p="md">
      <Group justify="space-between" gap="xs" mb="xs">
        <SectionTitle>What to change</SectionTitle>
        <CsvDownload read={() => readCsv(fixesPath, query)} name="runcost-waste.csv" />
      </Group>
      <Tabs value={shown} onChange={(name) => onShow(name as Shown)} keepMounted={false}>
        <TabsList open={shown}>
          {shownNames.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {titles[name]}
              {name !== 'workflows' && <Note span> {count(data.counts[name])}</Note>}
            </Tabs.Tab>
          ))}
        </TabsList>
        {shownNames.map((name) => (
          <Tabs.Panel key={name} value={name} pt="xs">
            {name === 'workflows' ? (
              <WorkflowsTable query={query} page={page} onPage={onPage} />
            ) : data.fixes.length === 0 ? (
              <Note py="lg">{pagination.total > 0 ? 'Nothing on this page.' : empty[name]}</Note>
            ) : (
              <Stack gap="sm" className={isStale ? 'is-stale' : ''}>
                <div className="fix-head fix-columns" aria-hidden="true">
                  <span className="fix-what">
                    <span>Workflow</span>
                    <span>Fix</span>
                  </span>
                  <span>Category</span>
                  <span>{name === 'open' ? 'Saves' : name === 'done' ? 'Result' : 'Reason'}</span>
                </div>
                <ul className="fixes" aria-label={titles[name]}>
                  <Folded
                    fixes={data.fixes.filter(({ status }) => status === name)}
                    total={name === 'open' ? data.saving_per_month : 0}
                    rowOf={rowOf}
                  />
                </ul>
                {name === 'done' && <PastSavings past={data.past_savings} />}
                <Pager pagination={pagination} one="fix" many="fixes" onPage={onPage} />
              </Stack>
            )}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Card>
  );
}

type FoldedProps = { fixes: Fix[]; total: number; rowOf: (fix: Fix) => ReactNode };

function Folded({ fixes, total, rowOf }: FoldedProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { large, small } = folded(fixes, total);
  const sum = small.reduce((dollars, { saving_per_month: saving }) => dollars + saving, 0);
  return (
    <>
      {large.map(rowOf)}
      {small.length > 0 && (
        <li className={isOpen ? 'fix is-open' : 'fix'}>
          <UnstyledButton
            className="fix-head is-fold"
            aria-expanded={isOpen}
            aria-controls="small-fixes"
            onClick={() => setIsOpen(!isOpen)}
          >
            <FixCaret />
            <span>
              {countOf(small.length, 'small fix', 'small fixes')}, <Money amount={sum} /> in total
            </span>
          </UnstyledButton>
          <ul id="small-fixes" className="fixes" aria-label="Small fixes" hidden={!isOpen}>
            {isOpen && small.map(rowOf)}
          </ul>
        </li>
      )}
    </>
  );
}

function PastSavings({ past }: { past: Fixes['past_savings'] }) {
  if (!past) return null;
  const { promised_per_month: promised, saved_per_month: saved } = past;
  return (
    <Note>
      {countOf(past.fixes, 'fix', 'fixes')} promised <Money amount={promised} /> a month, and{' '}
      {saved < 0 ? 'cost' : 'saved'} <Money amount={Math.abs(saved)} />
      {saved < 0 && ' more'}.
    </Note>
  );
}
