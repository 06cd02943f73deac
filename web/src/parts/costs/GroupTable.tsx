import { ChangeCell } from '../../analysis/Change.tsx';
import { colorOf } from '../../analysis/colors.ts';
import type { Costs } from '../../analysis/queries.ts';
import type { Question, Sort } from '../../analysis/question.ts';
import { groupingInWords, metrics } from '../../analysis/words.ts';
import { PercentBar } from '../../charts/PercentBar.tsx';
import { commonOf, sparkPath } from '../../charts/series.ts';
import type { Column, Order } from '../../ui/columns.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { TextLink } from '../../ui/text.tsx';
import type { Row } from './groupRows.ts';

type Props = {
  question: Question;
  rows: Row[];
  total: Costs['total'];
  heading: string;
  searchOf: (question: Question) => string;
  onSort: (question: Question) => void;
  onMark: (key: string | null) => void;
};

/** If all shares are below this percentage, bars relative to 100% would all look empty. */
const smallShare = 25;

export function GroupTable({ question, rows, total, heading, searchOf, onSort, onMark }: Props) {
  const { metric, sort } = question;
  const words = metrics[metric];
  // If the previous period was empty, every group would be new.
  const isCompared = question.compare !== 'none' && !!total.previous_value;
  const common = commonOf(rows);
  const largest = Math.max(0, ...rows.filter(({ key }) => key !== '').map(({ share }) => share));
  const full = largest > 0 && largest < smallShare ? largest : 100;
  const hrefOf = ({ next }: Row) => next && `/explore${searchOf(next)}`;
  const changeOf = (value: number, previous: number | null) =>
    previous !== null && <ChangeCell value={value} previous={previous} metric={metric} />;
  const columns: Column<Row>[] = [
    { title: heading, sort: 'name', cell: (row) => <Name row={row} common={common} href={hrefOf(row)} /> },
    {
      title: words.title,
      sort: 'value',
      isNumber: true,
      isMain: true,
      cell: ({ value }) => <span aria-description={words.exactly(value)}>{words.cell(value)}</span>,
      total: <span aria-description={words.exactly(total.value)}>{words.cell(total.value)}</span>,
    },
  ];
  if (isCompared)
    columns.push({
      title: 'Change',
      sort: 'change',
      isNumber: true,
      cell: ({ value, previous }) => changeOf(value, previous),
      total: changeOf(total.value, total.previous_value),
    });
  columns.push({
    title: 'Share',
    sort: 'share',
    isNumber: true,
    className: 'group-share',
    cell: ({ key, share, slot }) => (
      <PercentBar percent={share} slot={slot} full={full} isMany={key === ''} />
    ),
    total: total.value > 0 && '100.0%',
  });
  if (rows.some(({ values }) => values.length > 1))
    columns.push({ title: 'Trend', isHiddenOnPhones: true, className: 'group-trend', cell: trend });
  return (
    <DataTable
      label={`${words.title} by ${groupingInWords(question.groupBy) || heading.toLowerCase()}`}
      minWidth={isCompared ? 640 : 480}
      keyOf={({ key }) => key}
      order={{ column: sort.replace(/^-/, ''), isDescending: sort.startsWith('-') }}
      onOrder={(order) => onSort({ ...question, sort: sortFor(order) })}
      onPoint={(row) => onMark(row?.part ?? null)}
      rows={rows}
      columns={columns}
      hrefOf={hrefOf}
    />
  );
}

function sortFor({ column, isDescending }: Order): Sort {
  return `${isDescending ? '-' : ''}${column}` as Sort;
}

type NameProps = {
  row: Row;
  common: string;
  href: string | null;
};

function Name({ row: { title, slot }, common, href }: NameProps) {
  const at = common ? title.indexOf(common) : -1;
  const name =
    at < 0 ? (
      title
    ) : (
      <>
        {title.slice(0, at)}
        <span className="common">{common}</span>
        {title.slice(at + common.length)}
      </>
    );
  return (
    <span className="named">
      <span className="swatch" style={{ background: colorOf(slot) }} />
      {href ? (
        <TextLink href={href} size="sm" c="inherit" underline="hover">
          {name}
        </TextLink>
      ) : (
        <span>{name}</span>
      )}
    </span>
  );
}

function trend({ values, slot }: Row) {
  return (
    <svg width="96" height="24" aria-hidden="true" style={{ color: colorOf(slot) }}>
      <path d={sparkPath(values, 94, 20)} transform="translate(1 2)" className="spark" />
    </svg>
  );
}
