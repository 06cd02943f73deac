import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { type Answer, dataQuery, type Sent } from '../../../api/query.ts';
import { Choice } from '../../../ui/Choice.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { countOf, dollars, signed } from '../../../ui/figures.ts';
import { FormError } from '../../../ui/FormError.tsx';
import { Loading } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { PlainForm } from '../../../ui/PlainForm.tsx';
import { SmallButton, useWhyNot } from '../../../ui/rights.tsx';
import { Segments } from '../../../ui/Segments.tsx';
import '../../../ui/commandFold.css';
import { LongText, Note } from '../../../ui/text.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { pathOf, withText, type WorkflowFile } from './triedFiles.ts';

const filesPath = '/api/v1/workflow-files';
const estimatesPath = '/api/v1/estimates';

/** `path` is that of the workflow's file, if a run says it. */
type Props = { path: string | null; repository: string };

/** Asks nothing of GitHub before somebody wants it. */
export function TryChange(props: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Panel
      title="Try a change"
      aside={!isOpen && <SmallButton onClick={() => setIsOpen(true)}>Try a change</SmallButton>}
    >
      {isOpen ? (
        <Opened {...props} />
      ) : (
        <Note>See what a change of the workflow file costs before you merge it.</Note>
      )}
    </Panel>
  );
}

function Opened({ path, repository }: Props) {
  const mayRead = useWhyNot()({ role: 'member', scope: 'waste:write' }) === null;
  const files = useQuery({
    ...dataQuery(filesPath, { query: { repository } }),
    enabled: mayRead,
    retry: false,
    staleTime: 60_000,
  });
  if (mayRead && files.isPending) return <Loading height={420} />;
  return (
    <TryForm
      path={path}
      repository={repository}
      known={files.data ?? null}
      note={files.error?.message ?? null}
    />
  );
}

type Known = Answer<typeof filesPath>;
type FormProps = Props & { known: Known | null; note: string | null };

const ways = { edit: 'Edit', branch: 'A branch' };

function TryForm({ path: own, repository, known, note }: FormProps) {
  const files = known?.files ?? [];
  const [path, setPath] = useState(() => (files.find((file) => file.path === own) ?? files[0])?.path ?? '');
  const textAt = (of: string) => files.find((file) => file.path === of)?.content ?? '';
  const [before, setBefore] = useState('');
  const [after, setAfter] = useState(() => textAt(path));
  const [way, setWay] = useState<keyof typeof ways>('edit');
  const [branch, setBranch] = useState('');
  const isRead = files.length > 0;
  const estimate = useChange({
    act: async () => {
      const [base, head] = isRead
        ? [
            files,
            way === 'branch' ? await filesOf(repository, branch) : withText(files, { path, content: after }),
          ]
        : [before, after].map((content) => pasted(content, own ?? pathOf(after)));
      const body = { repository, base: { files: base }, head: { files: head } } as Sent<typeof estimatesPath>;
      return estimateOf(body);
    },
    isErrorShown: true,
  });
  const isEmpty = isRead && way === 'branch' ? branch.trim() === '' : after.trim() === '';
  const code = { autosize: true, minRows: 8, maxRows: 24, styles: { input: { fontFamily: 'monospace' } } };
  return (
    <PlainForm error={estimate.error} onSubmit={() => estimate.mutate()}>
      <Stack gap="sm">
        {note !== null && <Note>Paste the file as it is and as you would change it. {note}</Note>}
        {isRead && (
          <Group gap="sm" align="end">
            <Choice
              label="File"
              options={files.map((file) => file.path)}
              value={path}
              onChange={(next) => {
                setPath(next);
                setAfter(textAt(next));
              }}
            />
            <Segments label="The change" options={ways} value={way} onChange={setWay} />
          </Group>
        )}
        {!isRead && (
          <Textarea
            label="The file now"
            description="Leave empty for a new workflow."
            spellCheck={false}
            {...code}
            value={before}
            onChange={({ currentTarget }) => setBefore(currentTarget.value)}
          />
        )}
        {isRead && way === 'branch' ? (
          <TextInput
            label="Branch"
            description={`Compared with ${known!.branch}. All workflow files of both count.`}
            value={branch}
            onChange={({ currentTarget }) => setBranch(currentTarget.value)}
          />
        ) : (
          <Textarea
            label="The file with the change"
            spellCheck={false}
            {...code}
            value={after}
            onChange={({ currentTarget }) => setAfter(currentTarget.value)}
          />
        )}
        <FormError error={estimate.error} fields={[]} />
        <div>
          <Button type="submit" disabled={isEmpty} loading={estimate.isPending}>
            Estimate
          </Button>
        </div>
        <div aria-live="polite">{estimate.data && <Result estimate={estimate.data} />}</div>
      </Stack>
    </PlainForm>
  );
}

async function filesOf(repository: string, branch: string): Promise<WorkflowFile[]> {
  const query = { repository, branch: branch.trim() };
  return (await api.GET(filesPath, { params: { query } })).data!.data.files;
}

const estimateOf = async (body: Sent<typeof estimatesPath>) =>
  (await api.POST(estimatesPath, { body })).data!.data;

type Estimate = Awaited<ReturnType<typeof estimateOf>>;

/** Both texts get one path, so that they are one workflow. */
function pasted(content: string, path: string): WorkflowFile[] {
  return content.trim() === '' ? [] : [{ path, content }];
}

function Result({ estimate }: { estimate: Estimate }) {
  const { change, base, head, days, jobs, assumptions, unresolved, note } = estimate;
  const changed = jobs.filter(({ status }) => status !== 'unchanged');
  if (changed.length === 0) return <Note>No job changes, so CI costs the same.</Note>;
  return (
    <Stack gap="sm">
      <div>
        <Text fz={21} lh={1.3} fw={700}>
          {signed(change.monthly_cost)} in {days} days
        </Text>
        <Note>
          Likely {signed(change.low)} to {signed(change.high)}: {dollars(head.monthly_cost)} instead of{' '}
          {dollars(base.monthly_cost)}, at list prices.
        </Note>
      </div>
      {note !== null && <LongText>{note}</LongText>}
      <DataTable
        label="Changed jobs"
        rows={changed}
        columns={columns}
        keyOf={({ path, job, status }) => [path, job, status].join(' ')}
        minWidth={640}
        isStacked
      />
      <details className="command-fold">
        <summary>How this is estimated</summary>
        <ul>
          {assumptions.map((text) => (
            <li key={text}>
              <LongText>{text}</LongText>
            </li>
          ))}
        </ul>
      </details>
      {unresolved.length > 0 && (
        <Note>
          {countOf(unresolved.length, 'thing')} could not be resolved:{' '}
          {unresolved.map(({ path, job, reason }) => `${job ?? path}: ${reason}`).join(' ')}
        </Note>
      )}
    </Stack>
  );
}

type Job = Estimate['jobs'][number];

const amountColumn = (
  title: string,
  of: (job: Job) => Job['base'],
  shown: (amount: number) => string,
): Column<Job> => ({
  title,
  isNumber: true,
  value: (job) => of(job)?.monthly_cost ?? null,
  cell: (job) => {
    const amount = of(job);
    return amount ? shown(amount.monthly_cost) : '–';
  },
});

const columns: Column<Job>[] = [
  {
    title: 'Job',
    value: ({ job }) => job,
    cell: ({ job, status, runner, runner_before: before }) => (
      <>
        {job}
        <Note size="xs">
          {[status, [before, runner].filter((each) => each !== null).join(' to ')].filter(Boolean).join(', ')}
        </Note>
      </>
    ),
  },
  amountColumn('Before', ({ base }) => base, dollars),
  amountColumn('After', ({ head }) => head, dollars),
  { ...amountColumn('Change', ({ change }) => change, signed), isMain: true },
];
