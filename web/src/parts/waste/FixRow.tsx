import { Group, Skeleton, Stack, Text, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { Command } from '../../ui/Command.tsx';
import { count, leftOutInWords, shortDay } from '../../ui/figures.ts';
import { Form } from '../../ui/Form.tsx';
import { Failed } from '../../ui/Loaded.tsx';
import { AllowedButton, useWhyNot } from '../../ui/rights.tsx';
import { LongText, Money, Note, OutsideLink, RowLink, When } from '../../ui/text.tsx';
import { runAddress } from '../../ui/useAddress.ts';
import './fixes.css';
import {
  useDecision,
  useOpenFix,
  usePatch,
  useWastefulRuns,
  type CategoryName,
  type Fix,
  type FixesQuery,
} from './waste.ts';
import { categoryColor, fixShown, titleOf, wasteCategory } from './wasteCategories.ts';

type Range = Pick<FixesQuery, 'days' | 'from' | 'to'>;
type Props = {
  fix: Fix;
  range: Range;
  largest: number;
  /** The owner of all repositories in the list, which rows then leave out. */
  owner?: string | null;
  /** The scope of the page, which rows do not repeat. */
  of?: 'workflow' | 'repository' | null;
};

export function FixRow({ fix, range, largest, owner = null, of = null }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const id = `fix-${fix.id}`;
  const place =
    of === 'workflow'
      ? null
      : of === 'repository'
        ? fix.workflow
        : `${fix.workflow} · ${owner === null ? fix.repository : fix.repository.slice(owner.length + 1)}`;
  return (
    <li className={isOpen ? 'fix is-open' : 'fix'}>
      <UnstyledButton
        className="fix-head"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
      >
        <FixCaret />
        <span className="fix-what">
          <b>{place ?? titleOf(fix)}</b>
          <Text span size="sm" className="fix-title">
            <span className="swatch" style={{ background: categoryColor(fix.category) }} />
            {place ? titleOf(fix) : fixShown[fix.category].label}
          </Text>
        </span>
        <Text span size="sm" className="fix-category">
          <span className="swatch" style={{ background: categoryColor(fix.category) }} />
          {fixShown[fix.category].label}
        </Text>
        <Result fix={fix} largest={largest} />
      </UnstyledButton>
      <div id={id} hidden={!isOpen}>
        {isOpen && <Details fix={fix} range={range} />}
      </div>
    </li>
  );
}

export const FixCaret = () => (
  <svg viewBox="0 0 10 10" className="fix-caret" aria-hidden="true">
    <path d="M3 1.5L7 5L3 8.5" />
  </svg>
);

function Result({ fix, largest }: Pick<Props, 'fix' | 'largest'>) {
  const { status, saving_per_month: saving, category, outcome, decision } = fix;
  if (status !== 'open')
    return (
      <Text span size="sm" className="fix-outcome">
        {outcome?.sentence ?? decision?.reason}
      </Text>
    );
  if (saving === 0)
    return (
      <Note span className="fix-amount number">
        {fix.saving > 0 ? 'on unusual days only' : 'at no cost'}
      </Note>
    );
  return (
    <>
      <span className="fix-bar" aria-hidden="true">
        <span
          style={{
            width: `max(2px, ${(100 * saving) / largest}%)`,
            background: categoryColor(category),
          }}
        />
      </span>
      <span className="fix-amount number">
        <b>
          <Money amount={saving} />
        </b>
        <Note span size="xs">
          {' '}
          a month
        </Note>
      </span>
    </>
  );
}

function Details({ fix, range }: Pick<Props, 'fix' | 'range'>) {
  const { suggestions, workflow, workflow_id: workflowId, repository } = fix;
  const category = wasteCategory(fix.category);
  return (
    <div className="fix-details">
      <Stack gap="md" miw={0}>
        {fix.status !== 'open' && <Decided fix={fix} />}
        {suggestions.map(({ action, text, jobs, yaml }) => (
          <Stack key={`${action} ${jobs.join()}`} gap={6}>
            <LongText>{text}</LongText>
            {jobs.length > 1 && (
              <Note size="xs" style={{ overflowWrap: 'anywhere' }}>
                Jobs: {jobs.join(', ')}
              </Note>
            )}
            {yaml !== null && (
              <Command
                label={`Lines for the workflow file of ${repository} ${workflow}, ${jobs.join(' ')}`}
                what={`the lines for ${repository} ${workflow}`}
              >
                {yaml}
              </Command>
            )}
          </Stack>
        ))}
        {fix.saving > 0 && fix.left_out_days.length > 0 && (
          <Note size="xs">{leftOutInWords(fix.left_out_days)}</Note>
        )}
        {suggestions.length === 0 && <Text size="sm">Nothing is left to change in this period.</Text>}
        <Actions fix={fix} />
      </Stack>
      <Stack gap={6} miw={0}>
        <Text size="sm" fw={600}>
          Runs to look at
        </Text>
        {fix.evidence ? (
          <RunsTable runs={fix.evidence.newest} />
        ) : (
          category && <Runs fix={fix} category={category} range={range} />
        )}
        <RowLink href={`/workflows/${workflowId}`}>Open the workflow</RowLink>
      </Stack>
    </div>
  );
}

function Decided({ fix: { status, decision, outcome } }: { fix: Fix }) {
  if (!decision) return null;
  return (
    <div>
      <LongText>
        {status === 'done' ? 'Done' : 'Dismissed'} by {decision.author}, <When at={decision.decided_at} />
        {decision.reason && `: ${decision.reason}`}
      </LongText>
      {outcome?.before && outcome.since && (
        <Note>
          The whole workflow cost <Money amount={outcome.before.workflow_cost} /> before and{' '}
          <Money amount={outcome.since.workflow_cost} /> since, in {7 * (outcome.weeks ?? 1)} days each.
        </Note>
      )}
    </div>
  );
}

type RunsProps = Pick<Props, 'fix' | 'range'> & { category: CategoryName };

function Runs({ fix: { workflow_id, cost }, category, range }: RunsProps) {
  const runs = useWastefulRuns({ ...range, workflow_id, category, limit: 5 });
  if (runs.error) return <Failed error={runs.error} retry={() => void runs.refetch()} />;
  if (!runs.data) return <Skeleton height={150} aria-busy="true" />;
  if (runs.data.length === 0) return <Note mih={150}>None in this period.</Note>;
  return <RunsTable runs={runs.data} isFree={cost === 0} />;
}

type FoundRun = NonNullable<Fix['evidence']>['newest'][number];
type ShownRun = Omit<FoundRun, 'pull_request'> & { pull_request?: number | null; waited_minutes?: number };

function RunsTable({ runs, isFree = false }: { runs: readonly ShownRun[]; isFree?: boolean }) {
  return (
    <div className="fix-runs">
      <table aria-label="Runs to look at">
        <tbody>
          {runs.map((run) => (
            <tr key={run.id}>
              <th scope="row">
                <RowLink href={runAddress(run.id)}>{run.number === null ? 'Run' : `#${run.number}`}</RowLink>{' '}
                <Note span>{run.pull_request ? `pull request ${run.pull_request}` : run.branch}</Note>
              </th>
              <td>
                <Note span>{shortDay(run.created_at.slice(0, 10))}</Note>
              </td>
              <td className="number">
                {isFree ? (
                  `${count(Math.round(run.waited_minutes ?? 0))} min waited`
                ) : (
                  <Money amount={run.cost} />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Actions({ fix }: { fix: Fix }) {
  const [isDismissing, setIsDismissing] = useState(false);
  const reason = useWhyNot()({ role: 'member', scope: 'waste:write' });
  const { mutate, isPending } = useDecision(fix);
  return (
    <Group gap="xs">
      {fix.status === 'open' ? (
        <>
          <AllowedButton
            size="xs"
            reason={reason}
            loading={isPending}
            onClick={() => mutate({ status: 'done' })}
          >
            Mark as done
          </AllowedButton>
          <AllowedButton size="xs" variant="default" reason={reason} onClick={() => setIsDismissing(true)}>
            Dismiss
          </AllowedButton>
          {fix.suggestions.some(({ yaml }) => yaml !== null) && <Change fix={fix} />}
        </>
      ) : (
        <AllowedButton
          size="xs"
          variant="default"
          reason={reason}
          loading={isPending}
          onClick={() => mutate(null)}
        >
          Reopen
        </AllowedButton>
      )}
      {isDismissing && <DismissFix fix={fix} onClose={() => setIsDismissing(false)} />}
    </Group>
  );
}

/** What changes the workflow file. */
export function Change({ fix }: { fix: Pick<Fix, 'id'> }) {
  const whyNot = useWhyNot();
  const patch = usePatch(fix);
  const open = useOpenFix(fix);
  return (
    <>
      <AllowedButton
        size="xs"
        variant="default"
        reason={whyNot({ role: 'member', scope: 'waste:write' })}
        loading={patch.isPending}
        onClick={() => patch.mutate()}
      >
        Download patch
      </AllowedButton>
      {open.data ? (
        <OutsideLink href={open.data.url}>Pull request {open.data.number}</OutsideLink>
      ) : (
        <AllowedButton
          size="xs"
          variant="default"
          reason={whyNot({ role: 'admin', scope: 'admin' })}
          loading={open.isPending}
          onClick={() => open.mutate()}
        >
          Open a pull request
        </AllowedButton>
      )}
    </>
  );
}

function DismissFix({ fix, onClose }: { fix: Fix; onClose: () => void }) {
  const decision = useDecision(fix, { isErrorShown: true });
  return (
    <Form
      title="Dismiss this fix?"
      size="md"
      label="Dismiss"
      initial={{ reason: '' }}
      isDisabled={({ reason }) => reason === ''}
      fields={[
        <LongText>
          {titleOf(fix)} in {fix.repository} {fix.workflow} no longer counts as a saving. You can reopen it.
        </LongText>,
        {
          name: 'reason',
          label: 'Reason',
          placeholder: 'Each commit of main must be tested',
          maxLength: 500,
          required: true,
          'data-autofocus': true,
        },
      ]}
      act={({ reason }) => decision.mutateAsync({ status: 'dismissed', reason })}
      onClose={onClose}
    />
  );
}
