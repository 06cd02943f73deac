import { Command } from './Command.tsx';
import './commandFold.css';

type Props = { title: string; label: string; command: string };

/** Another way to do what a button does: folded, because most people press the button. */
export function CommandFold({ title, label, command }: Props) {
  return (
    <details className="command-fold">
      <summary>{title}</summary>
      <Command label={label}>{command}</Command>
    </details>
  );
}
