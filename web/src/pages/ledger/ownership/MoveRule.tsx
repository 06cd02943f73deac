import { ActionIcon, Box } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconGripVertical } from '@tabler/icons-react';
import type { PointerEvent } from 'react';
import type { Rule } from './rules.ts';

export type Move = (rule: Rule, position: number) => void;

type Props = {
  rule: Rule;
  /** The position of the last rule that people wrote. */
  last: number;
  onMove: Move;
};

/** The two places beside it, as far as it can move there. Imported rules stay behind those of people. */
export function movesOf({ rule, last, onMove }: Props) {
  const { position, source } = rule;
  return [
    { way: 'up', Icon: IconArrowUp, to: position - 1, isPossible: position > 1 },
    { way: 'down', Icon: IconArrowDown, to: position + 1, isPossible: position < last },
  ].map(({ isPossible, to, ...move }) => ({
    ...move,
    label: `Move ${move.way}`,
    onClick: isPossible && source === 'manual' ? () => onMove(rule, to) : null,
  }));
}

export function Arrows(props: Props) {
  const { position, source } = props.rule;
  return movesOf(props).map(({ way, Icon, label, onClick }) => (
    <ActionIcon
      key={way}
      variant="subtle"
      color="gray"
      size={28}
      visibleFrom="sm"
      aria-label={`Move rule ${position} ${way}`}
      data-hint={label}
      className="rule-move"
      style={source === 'manual' ? undefined : { visibility: 'hidden' }}
      // Not `disabled`: the button would lose the focus when its rule reaches an end of the list.
      {...(onClick ? { onClick } : { 'data-disabled': true, 'aria-disabled': true })}
    >
      <Icon size={16} stroke={1.7} aria-hidden />
    </ActionIcon>
  ));
}

type HandleProps = Pick<Props, 'rule' | 'onMove'> & { listed: readonly Rule[] };

/** Drags a rule to another place of the page. By keyboard, the arrows do. */
export function DragHandle({ rule, listed, onMove }: HandleProps) {
  const own = listed.filter(({ source }) => source === 'manual');
  return (
    <Box
      className="rule-handle"
      visibleFrom="sm"
      aria-hidden
      style={rule.source === 'manual' ? undefined : { visibility: 'hidden' }}
      onPointerDown={(event) => drag(event, own.length, (index) => onMove(rule, own[index]!.position))}
    >
      <IconGripVertical size={16} stroke={1.7} />
    </Box>
  );
}

/** Marks the row whose place the dragged one would take. Escape ends it without a move. */
function drag(event: PointerEvent<HTMLElement>, count: number, onDrop: (index: number) => void): void {
  if (event.button !== 0) return;
  const handle = event.currentTarget;
  const row = handle.closest('tr')!;
  const rows = ([...row.parentElement!.children] as HTMLElement[]).slice(0, count);
  const from = rows.indexOf(row);
  let to = from;
  const show = (next: number) => {
    delete rows[to]!.dataset['drop'];
    to = next;
    if (to !== from) rows[to]!.dataset['drop'] = to < from ? 'before' : 'after';
  };
  const ended = new AbortController();
  const end = () => {
    ended.abort();
    show(from);
    delete row.dataset['dragged'];
  };
  const { signal } = ended;
  const on = (name: 'pointermove' | 'pointerup', act: (event: globalThis.PointerEvent) => void) =>
    handle.addEventListener(name, act, { signal });
  on('pointermove', ({ clientY }) => {
    show(
      Math.max(
        0,
        rows.findLastIndex((each) => each.getBoundingClientRect().top <= clientY),
      ),
    );
    rows[to]!.scrollIntoView({ block: 'nearest' });
  });
  on('pointerup', () => {
    const target = to;
    end();
    if (target !== from) onDrop(target);
  });
  handle.addEventListener('lostpointercapture', end, { signal });
  window.addEventListener('keydown', ({ key }) => key === 'Escape' && end(), { signal });
  handle.setPointerCapture(event.pointerId);
  row.dataset['dragged'] = '';
  // Otherwise it would select text.
  event.preventDefault();
}
