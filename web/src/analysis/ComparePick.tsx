import { Note } from '../ui/text.tsx';
import { Pick } from './Pick.tsx';
import { isOnlyToday } from './question.ts';
import type { Range } from './ranges.ts';
import { comparisons, type Comparison } from './words.ts';

type Props = {
  range: Range;
  today: string;
  value: Comparison;
  onChange: (value: Comparison) => void;
};

export function ComparePick({ range, today, value, onChange }: Props) {
  if (isOnlyToday({ range }, today)) return <Note>so far (today isn’t over)</Note>;
  return <Pick label="vs" value={value} options={comparisons} onChange={onChange} />;
}
