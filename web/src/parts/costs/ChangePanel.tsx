import { Skeleton, Stack, Text } from '@mantine/core';
import { ChangeSentence } from '../../analysis/ChangeSentence.tsx';
import { changeSteps } from '../../analysis/changeSteps.ts';
import { namesOf } from '../../analysis/changeWords.ts';
import { useCostChange, useCosts, type CostChange, type Costs } from '../../analysis/queries.ts';
import {
  changeQueryOf,
  initial,
  isOfOneRepository,
  isOnlyToday,
  literal,
  queryOf,
  withFilter,
  type Question,
} from '../../analysis/question.ts';
import { datesTitle } from '../../analysis/ranges.ts';
import { Waterfall } from '../../charts/Waterfall.tsx';
import { countOf, directionClass, signed } from '../../ui/figures.ts';
import { Failed } from '../../ui/Loaded.tsx';
import { isRefusal } from '../../ui/outages.ts';
import { Panel } from '../../ui/Panel.tsx';
import { Note, RepositoryName, RowLink, sharedOwner } from '../../ui/text.tsx';
import { useGroupChange, type View } from './costView.ts';

const title = 'What changed';
/** Pixels, while the groups load. */
const groupsHeight = { workflow: 111, job: 185 };

type Props = {
  view: View;
  by?: 'workflow' | 'job';
};

/** Explains the change from the previous period by a sentence if the page has none, its parts, and the workflows that changed most. */
export function ChangePanel({ view, by = 'workflow' }: Props) {
  const { question, today, searchOf } = view;
  const isSoFar = isOnlyToday(question, today);
  const compared = question.compare === 'none' ? initial.compare : question.compare;
  const listed = useGroupChange(view, by);
  // The split without groups, so that the figures equal those of the overview, alerts and digests.
  const whole = useCostChange(
    { ...changeQueryOf(question, today), group_by: '' },
    { enabled: by === 'job' && !isSoFar },
  );
  const query = by === 'job' ? whole : listed;
  const change = query.data;
  // The cost of the page's summary says why.
  const isSaid = by === 'workflow' && question.compare !== 'none';
  const isNet = question.metric === 'net_cost';
  const net = useCosts(
    queryOf({ ...question, compare: compared, groupBy: [] }, today, { granularity: 'total' }),
    { enabled: isNet && !isSoFar },
  );
  const sort: Question['sort'] = change && change.total.change < 0 ? 'change' : '-change';
  const asked = { ...question, compare: compared, groupBy: [by], sort };
  if (isSoFar)
    return (
      <Panel title={title}>
        <Note>Today isn’t over. Choose a longer period to see what changed.</Note>
      </Panel>
    );
  return (
    <Panel title={title} more={{ href: `/explore${searchOf(asked)}`, label: 'Explore the change' }}>
      {change && !listed.isPending && !isRefusal(query.error) ? (
        <Stack
          gap="md"
          className={query.isPlaceholderData || listed.isPlaceholderData ? 'change is-stale' : 'change'}
        >
          {!(isSaid && hasParts(change)) && (
            <Text aria-live="polite">
              {isNet && 'At list prices: '}
              <ChangeSentence change={change} isOfOne={isOfOneRepository(question)} />
            </Text>
          )}
          <ChangeParts change={change} net={isNet ? (net.data?.total ?? null) : null} />
          {listed.data ? (
            <Groups view={view} change={listed.data} by={by} />
          ) : (
            <Failed error={listed.error} retry={() => void listed.refetch()} height={groupsHeight[by]} />
          )}
          {isNet && <Note size="xs">Each {by} at list prices.</Note>}
        </Stack>
      ) : query.error ? (
        <Failed error={query.error} retry={() => void query.refetch()} height={isSaid ? 300 : 358} />
      ) : (
        <Stack gap="md" aria-busy="true">
          {!isSaid && <Skeleton height={42} />}
          <Skeleton height={172} />
          <Skeleton height={groupsHeight[by]} />
        </Stack>
      )}
    </Panel>
  );
}

function hasParts(change: CostChange): boolean {
  return change.total.previous_value > 0 && changeSteps(change).length > 0;
}

type PartsProps = {
  change: CostChange;
  /** Net cost of both periods, which the waterfall then starts and ends with. */
  net?: Pick<Costs['total'], 'value' | 'previous_value'> | null;
};

export function ChangeParts({ change, net = null }: PartsProps) {
  const { period, previous_period: before } = change;
  const total = {
    ...change.total,
    ...net,
    previous_value: net?.previous_value ?? change.total.previous_value,
  };
  const deducted = total.value - total.previous_value - change.total.change;
  const steps = changeSteps(change, net ? deducted : 0);
  if (steps.length === 0 || total.previous_value === 0) return null;
  const titleOf = ({ start, end }: typeof period) =>
    datesTitle({ from: start, to: end }).replace(/, \d{4}$/, '');
  return (
    <Waterfall
      label="The parts of the change"
      before={{ label: titleOf(before), amount: total.previous_value }}
      steps={steps}
      now={{ label: titleOf(period), amount: total.value }}
    />
  );
}

function Groups({ view, change, by }: Required<Props> & { change: CostChange }) {
  const { question, searchOf } = view;
  const groups = change.groups.filter((group) => group.change !== 0);
  const owner = sharedOwner(groups.map((group) => namesOf(group.by[0]?.name ?? '').repository));
  // A single group would repeat the sentence.
  if (groups.length < 2) return null;
  const isOfOne = isOfOneRepository(question);
  const hrefOf = (value: string | null) => {
    const filter = { dimension: by, isNot: false, values: [literal(value)] };
    return `/explore${searchOf({ ...withFilter(question, null, filter), groupBy: [by === 'job' ? 'runner' : 'job'] })}`;
  };
  return (
    <>
      {by === 'job' && <NewJobs change={change} />}
      <table aria-label={`${by === 'job' ? 'Jobs' : 'Workflows'} that changed most`}>
        <tbody>
          {groups.map((group) => {
            const {
              by: [workflow],
              change: amount,
              previous_value: previous,
            } = group;
            const percent = previous === 0 ? null : (100 * amount) / previous;
            const names =
              by === 'workflow'
                ? namesOf(workflow?.name ?? '')
                : { workflow: workflow?.name, repository: '' };
            return (
              <tr key={workflow?.value}>
                <th scope="row" style={{ overflowWrap: 'anywhere', paddingInlineStart: 0 }}>
                  <RowLink href={hrefOf(workflow?.value ?? null)}>{names.workflow}</RowLink>{' '}
                  {!isOfOne && (
                    <Note span>
                      <RepositoryName name={names.repository} owner={owner} />
                    </Note>
                  )}
                </th>
                <td className="number mantine-visible-from-sm">
                  <Note span>{reasonOf(group)}</Note>
                </td>
                <td className={`number ${directionClass(percent) ?? ''}`} style={{ paddingInlineEnd: 0 }}>
                  {signed(amount)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </>
  );
}

/** Counts all new and vanished jobs, including those that the table does not list. */
function NewJobs({ change: { new: added, vanished } }: { change: CostChange }) {
  const parts = [
    added.groups > 0 && `${countOf(added.groups, 'new job')} (${signed(added.change)})`,
    vanished.groups > 0 && `${countOf(vanished.groups, 'removed job')} (${signed(vanished.change)})`,
  ].filter(Boolean);
  if (parts.length === 0) return null;
  return <Note>Includes {parts.join(' and ')}.</Note>;
}

/** The main reason of a group's change, in the words of the sentence. */
function reasonOf(group: CostChange['groups'][number]): string {
  const { status, change, jobs, previous_jobs: jobsBefore } = group;
  if (status === 'new') return 'new';
  if (status === 'vanished') return 'no jobs now';
  const main = changeSteps({ total: group }).find(({ amount }) => amount > 0 === change > 0);
  return main && main.key !== 'volume' ? main.label.toLowerCase() : jobsInWords(jobs - jobsBefore);
}

function jobsInWords(more: number): string {
  if (more === 0) return 'same number of jobs';
  const [amount, which] = [Math.abs(more), more > 0 ? 'more' : 'fewer'];
  return countOf(amount, `${which} job`);
}
