import { useLocalStorage } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import { areaGroups, type Area } from './areas.ts';

/** `g` and a letter open an area: the first letter of its name that no earlier area has. */
export function letteredAreas(areas: readonly Area[]): { letter: string; area: Area }[] {
  const taken = new Set<string>();
  return areas.flatMap((area) => {
    const letter = (area.label.toLowerCase().match(/[a-z]/g) ?? []).find((each) => !taken.has(each));
    if (letter === undefined) return [];
    taken.add(letter);
    return [{ letter, area }];
  });
}

export const areaLetters = letteredAreas(areaGroups.flatMap(({ areas }) => areas));

/** People who dictate or whose hands slip can turn letters off. */
export function useLettersOn() {
  return useLocalStorage({
    key: 'runcost-letter-keys',
    defaultValue: true,
    getInitialValueInEffect: false,
  });
}

type Doings = { onShortcuts: () => void; onSearch: () => void };

const maxPause = 1_500;

/** Shortcuts of single letters, outside fields, menus and dialogs. */
export function useLetterKeys({ onShortcuts, onSearch }: Doings): void {
  const [isOn] = useLettersOn();
  const leadAt = useRef(-Infinity);
  useEffect(() => {
    const actions: Record<string, () => void> = {
      '?': onShortcuts,
      '/': () => filter(onSearch),
      j: () => step(1),
      k: () => step(-1),
    };
    const press = (event: KeyboardEvent) => {
      const { key, timeStamp } = event;
      if (isForOthers(event)) return;
      const isSecond = timeStamp - leadAt.current < maxPause;
      leadAt.current = key === 'g' && !isSecond ? timeStamp : -Infinity;
      const act = isSecond ? openerOf(key) : actions[key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    if (isOn) addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
}

function isForOthers({ target, defaultPrevented, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return (
    defaultPrevented ||
    ctrlKey ||
    metaKey ||
    altKey ||
    document.querySelector('[role="dialog"], [role="menu"]') !== null ||
    (target instanceof Element &&
      target.closest('input:not([type="checkbox"]), textarea, select, [contenteditable="true"]') !== null)
  );
}

const visible = (selector: string) =>
  [...document.querySelectorAll<HTMLElement>(selector)].filter((element) => element.checkVisibility());

/** Clicks the link, so that a form with changes can ask first. */
function openerOf(letter: string): (() => void) | undefined {
  const link = document.querySelector<HTMLElement>(`#menu [data-letter="${CSS.escape(letter)}"]`);
  return link ? () => link.click() : undefined;
}

function filter(otherwise: () => void): void {
  const [field] = visible('#content input[type="search"]');
  const [button] = visible('#content .add-filter');
  (field ?? button)?.focus();
  if (field) return;
  if (button) button.click();
  else otherwise();
}

const rows = '#content :is(table:not(.facts) > tbody > tr, .fix, .audit-entries > li)';

/** To what opens the next or previous row. */
function step(by: 1 | -1): void {
  const openers = visible(rows).flatMap(
    (row) => row.querySelector<HTMLElement>('a[href], button:enabled') ?? [],
  );
  const at = openers.findLastIndex((opener) => opener.closest('tr, li')!.contains(document.activeElement));
  openers[Math.max(0, at + by)]?.focus();
}
