import { Kbd } from '@mantine/core';
import { Dialog } from '../ui/Dialog.tsx';
import { useCommandKey } from './keys.ts';

const shortcutsOf = (command: string) =>
  [
    [[command, 'K'], 'Search pages, workflows, runs and actions'],
    [[command, 'B'], 'Collapse or expand the navigation'],
    [['↑', '↓', 'Enter'], 'Choose in search and in menus'],
    [['Tab'], 'Go to the next link, button or field'],
    [['Esc'], 'Close a dialog, menu or hint'],
  ] as const;

export function Shortcuts({ onClose }: { onClose: () => void }) {
  const shortcuts = shortcutsOf(useCommandKey());
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} size="md">
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
    </Dialog>
  );
}
