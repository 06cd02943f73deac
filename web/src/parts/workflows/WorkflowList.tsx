import { Box, Card, Group, Skeleton, Stack, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { Pick } from '../../analysis/Pick.tsx';
import type { Question } from '../../analysis/question.ts';
import { WrongQuestion } from '../../analysis/WrongQuestion.tsx';
import { readCsv } from '../../api/query.ts';
import { isServer } from '../../ui/browserState.ts';
import { CsvDownload } from '../../ui/CsvButton.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { SectionTitle } from '../../ui/Panel.tsx';
import { SearchField } from '../../ui/SearchField.tsx';
import { statusInWords } from '../../ui/text.tsx';
import { useAddress } from '../../ui/useAddress.ts';
import { searchBeside } from '../costs/scope.ts';
import { askedBy, hasWaste, listIn, orderParameters, statuses, type List } from './workflowList.ts';
import {
  workflowsPath,
  useUnpriced,
  useWorkflowCosts,
  useWorkflowWaste,
  type ListedWorkflow,
  type WorkflowList as Listed,
} from './workflows.ts';
import './workflows.css';
import { WorkflowsTable, type WasteColumn } from './WorkflowsTable.tsx';

type Props = {
  question: Question;
  today: string;
  path: string;
  /** Title of the list if it is a part of a page. */
  title?: string;
  settled?: 'repository' | 'team';
  none: (list: List) => ReactNode;
};

/** The workflows of a question. The address also holds the list's own search and order. */
export function WorkflowList({ question, today, path, title, settled, none }: Props) {
  const [params, change] = useAddress();
  const list = listIn(params);
  const asked = askedBy(question, list, today);
  const { query, waste } = useList(asked, hasWaste(question, today));
  const { data } = query;
  const unpriced = useUnpriced(question, today, data);
  const { page: _, per_page: __, ...all } = asked;
  const hrefOf = ({ workflow_id: id }: ListedWorkflow) => `/workflows/${id}${searchBeside(question)}`;
  const isOfOne = settled === 'repository';
  const isFiltered =
    question.filters.some(({ dimension }) => dimension !== settled) ||
    list.search !== '' ||
    list.status !== null;
  return (
    <Card withBorder p={0} component="section" aria-label={title ?? 'All workflows'}>
      <Head title={title} isOfOne={isOfOne} list={list} onChange={change}>
        <CsvDownload
          disabled={!data || data.data.length === 0}
          read={() => readCsv(workflowsPath, { ...all, waste: hasWaste(question, today) })}
          name={`runcost-workflows-${data?.period.start}-to-${data?.period.end}.csv`}
        />
      </Head>
      {data && !query.error ? (
        <Stack
          gap={0}
          aria-busy={query.isPlaceholderData}
          className={query.isPlaceholderData ? 'is-stale' : undefined}
        >
          {data.total.workflows > 0 ? (
            <WorkflowsTable
              list={data}
              question={question}
              today={today}
              order={list.order}
              onOrder={(order) => change(orderParameters(order))}
              waste={waste}
              unpriced={unpriced}
              isFiltered={isFiltered}
              isOfOne={isOfOne}
              hrefOf={hrefOf}
            />
          ) : (
            none(list)
          )}
          {data.pagination.total > data.pagination.per_page && (
            <div className="list-pager">
              <Pager
                pagination={data.pagination}
                one="workflow"
                onPage={(page) => change({ page: page === 1 ? null : String(page) })}
              />
            </div>
          )}
        </Stack>
      ) : query.error ? (
        <WrongQuestion path={path} error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Waiting />
      )}
    </Card>
  );
}

const sortChoices = [
  { value: 'cost', title: 'Cost' },
  { value: 'change', title: 'Change' },
  { value: 'name', title: 'Name' },
  { value: 'runs', title: 'Runs' },
  { value: 'success_rate', title: 'Success' },
  { value: 'duration_p50', title: 'p50' },
  { value: 'duration_p95', title: 'p95' },
  { value: 'waste', title: 'Waste' },
  { value: 'last_run', title: 'Last run' },
];

type HeadProps = {
  title: string | undefined;
  isOfOne: boolean;
  list: List;
  onChange: ReturnType<typeof useAddress>[1];
  children: ReactNode;
};

function Head({ title, isOfOne, list, onChange, children }: HeadProps) {
  return (
    <Group justify="space-between" gap="xs" p="sm" px="md" className="list-head">
      {title && <SectionTitle>{title}</SectionTitle>}
      <Group gap="xs" flex={1} justify={title ? 'flex-end' : 'flex-start'}>
        <SearchField
          label="Search"
          isCompact
          placeholder={isOfOne ? 'Search workflows' : 'Workflow or repository'}
          value={list.search}
          onSettled={(search) => onChange({ search }, { replace: true })}
        />
        <Pick
          label="Latest run"
          value={list.status ?? 'any'}
          options={[
            { value: 'any', title: 'Any status' },
            ...statuses.map((status) => ({ value: status, title: statusInWords(status) })),
          ]}
          onChange={(status) => onChange({ status: status === 'any' ? null : status })}
        />
        {/* On phones, rows take two lines and have no headers to sort by. */}
        <Box hiddenFrom="sm">
          <Pick
            label="Sort"
            value={list.order.column.replace('share', 'cost')}
            options={sortChoices}
            onChange={(column) => onChange(orderParameters({ column, isDescending: column !== 'name' }))}
          />
        </Box>
      </Group>
      {children}
    </Group>
  );
}

/** Shows the list at once and adds waste later, in the browser. Sorting by waste waits for it. */
function useList(asked: Parameters<typeof useWorkflowCosts>[0], canHaveWaste: boolean) {
  const isByWaste = asked.sort?.endsWith('waste') ?? false;
  const quick = useWorkflowCosts(asked, { enabled: !isByWaste });
  const full = useWorkflowWaste(asked, {
    enabled: canHaveWaste && (isByWaste || (!isServer && quick.isSuccess)),
  });
  const waste: WasteColumn | undefined = !canHaveWaste
    ? undefined
    : full.data && !full.isPlaceholderData
      ? wasteOf(full.data)
      : full.error
        ? { byWorkflow: new Map(), total: null }
        : null;
  return { query: isByWaste ? full : quick, waste };
}

function wasteOf({ data, total }: Listed): WasteColumn {
  return {
    byWorkflow: new Map(data.map((workflow) => [workflow.workflow_id, workflow.waste_cost])),
    total: total.waste_cost,
  };
}

function Waiting() {
  return (
    <Stack gap={18} p="md" aria-busy="true">
      <VisuallyHidden role="status">Loading</VisuallyHidden>
      {Array.from({ length: 10 }, (_, row) => (
        <Group key={row} gap="md" wrap="nowrap">
          <Stack gap={6} w={180}>
            <Skeleton height={12} width="70%" />
            <Skeleton height={9} width="90%" />
          </Stack>
          <Skeleton height={12} flex={1} />
        </Group>
      ))}
    </Stack>
  );
}
