import { Command } from './Command.tsx';
import './commandFold.css';

type Props = { title: string; label: string; command: string };

/** A command that does the same as a button. Folded, because most people use the button. */
export function CommandFold({ title, label, command }: Props) {
  return (
    <details className="command-fold">
      <summary>{title}</summary>
      <Command label={label}>{command}</Command>
    </details>
  );
}
