import { Anchor } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { Change } from '../../../analysis/Change.tsx';
import { colorOf } from '../../../analysis/colors.ts';
import type { Costs } from '../../../analysis/queries.ts';
import { sortedBy, type Question } from '../../../analysis/question.ts';
import { metrics } from '../../../analysis/words.ts';
import { commonOf, sparkPath } from '../../../charts/series.ts';
import { SortedColumn } from '../../../ui/SortedColumn.tsx';
import { WideTable } from '../../../ui/WideTable.tsx';
import type { Row } from './rows.ts';

type Props = {
  question: Question;
  rows: Row[];
  total: Costs['total'];
  /** Of the first column, such as `Repository`. */
  heading: string;
  searchOf: (question: Question) => string;
  onSort: (question: Question) => void;
  onMark: (key: string | null) => void;
};

/** The figures of the chart as text, and more of them. */
export function GroupTable({ question, rows, total, heading, searchOf, onSort, onMark }: Props) {
  const words = metrics[question.metric];
  const isCompared = question.compare !== 'none';
  const common = commonOf(rows);
  const hasTrend = rows.some(({ values }) => values.length > 1);
  const column = (name: 'value' | 'change' | 'name', label: string, className: string) => {
    const isSorted = question.sort.replace(/^-/, '') === name;
    const order = question.sort.startsWith('-') ? 'desc' : 'asc';
    return (
      <SortedColumn
        label={label}
        className={className}
        order={isSorted ? order : null}
        onSort={() => onSort(sortedBy(question, name))}
      />
    );
  };
  return (
    <WideTable label={`${words.title} by ${heading.toLowerCase()}`} minWidth={isCompared ? 640 : 480}>
      <thead>
        <tr>
          {column('name', heading, 'group-name')}
          {column('value', words.title, 'number group-value')}
          {isCompared && column('change', 'Change', 'number')}
          {column('value', 'Share', 'group-share')}
          {hasTrend && <th scope="col">Trend</th>}
        </tr>
      </thead>
      <tbody onPointerLeave={() => onMark(null)}>
        {rows.map((row) => (
          <GroupRow
            key={row.key}
            {...{ row, common, question, isCompared, hasTrend }}
            href={row.next ? `/explore${searchOf(row.next)}` : null}
            onMark={() => onMark(row.part)}
          />
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row" className="group-name">
            Total
          </th>
          <td className="number group-value">
            <span aria-description={words.exactly(total.value)}>{words.cell(total.value)}</span>
          </td>
          {isCompared && (
            <td className="number">
              {total.previous_value !== null && (
                <Change value={total.value} previous={total.previous_value} metric={question.metric} />
              )}
            </td>
          )}
          <td colSpan={hasTrend ? 2 : 1} />
        </tr>
      </tfoot>
    </WideTable>
  );
}

type RowProps = {
  row: Row;
  /** What all names share. */
  common: string;
  question: Question;
  isCompared: boolean;
  hasTrend: boolean;
  href: string | null;
  onMark: () => void;
};

function GroupRow({ row, common, question: { metric }, isCompared, hasTrend, href, onMark }: RowProps) {
  const [, navigate] = useLocation();
  const words = metrics[metric];
  const { title, slot, value, previous, share, values } = row;
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
    <tr
      className={href ? 'clickable' : undefined}
      onPointerEnter={onMark}
      onClick={(event) => {
        const isOwn = event.target instanceof Element && event.target.closest('a');
        if (href && !isOwn && !window.getSelection()?.toString()) navigate(href);
      }}
    >
      <th scope="row" className="group-name">
        <span className="named">
          <span className="swatch" style={{ background: colorOf(slot) }} />
          {href ? (
            <Anchor component={Link} href={href} size="sm" c="inherit" underline="hover">
              {name}
            </Anchor>
          ) : (
            name
          )}
        </span>
      </th>
      <td className="number group-value">
        <span aria-description={words.exactly(value)}>{words.cell(value)}</span>
      </td>
      {isCompared && (
        <td className="number">{previous !== null && <Change {...{ value, previous, metric }} />}</td>
      )}
      <td className="group-share">
        <span className="shared">
          <span className="share-bar" aria-hidden="true">
            <span style={{ width: `${Math.max(0, Math.min(100, share))}%`, background: colorOf(slot) }} />
          </span>
          <span className="number">{share.toFixed(1)}%</span>
        </span>
      </td>
      {hasTrend && (
        <td className="group-trend">
          <svg width="96" height="24" aria-hidden="true" style={{ color: colorOf(slot) }}>
            <path d={sparkPath(values, 94, 20)} transform="translate(1 2)" className="spark" />
          </svg>
        </td>
      )}
    </tr>
  );
}
