import { Kbd, Stack, Switch } from '@mantine/core';
import { Dialog } from '../ui/Dialog.tsx';
import { commandKey } from './keys.ts';
import { areaLetters, useLettersOn } from './letterKeys.ts';

type Shortcut = readonly [keys: readonly string[], what: string];

const shortcutsOf = (command: string): Shortcut[] => [
  [[command, 'K'], 'Search pages, workflows, runs and actions'],
  [[command, 'B'], 'Collapse or expand the navigation'],
  [['↑', '↓', 'Enter'], 'Choose in search and in menus'],
  [['Tab'], 'Go to the next link, button or field'],
  [['Esc'], 'Close a dialog, menu or hint'],
];

const letters: Shortcut[] = [
  [['?'], 'Show these shortcuts'],
  [['/'], 'Filter the page'],
  [['j', 'k'], 'Next or previous row of a list'],
  [['Enter'], 'Open the row'],
  ...areaLetters.map(({ letter, area }): Shortcut => [['g', letter], `Go to ${area.label}`]),
];

export function Shortcuts({ onClose }: { onClose: () => void }) {
  const [isOn, setIsOn] = useLettersOn();
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} size="md">
      <Stack gap="md">
        <Keys shortcuts={shortcutsOf(commandKey())} />
        <Switch
          label="Shortcuts of single letters"
          checked={isOn}
          onChange={({ currentTarget }) => setIsOn(currentTarget.checked)}
        />
        {isOn && <Keys shortcuts={letters} />}
      </Stack>
    </Dialog>
  );
}

function Keys({ shortcuts }: { shortcuts: readonly Shortcut[] }) {
  return (
    <table className="facts">
      <tbody>
        {shortcuts.map(([keys, what]) => (
          <tr key={what}>
            <th scope="row">{what}</th>
            <td>
              <span className="key-names">
                {keys.map((key) => (
                  <Kbd key={key}>{key}</Kbd>
                ))}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
