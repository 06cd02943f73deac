import { CodeBlock } from './CodeBlock.tsx';
import './command.css';
import { CopyButton } from './CopyField.tsx';

type Props = {
  /** What the block is, for those who only hear it. */
  label: string;
  what?: string;
  children: string;
};

/** A command to run on the server, with its Copy. */
export function Command({ label, what = 'the command', children }: Props) {
  return (
    <div className="command">
      <CodeBlock label={label}>{children}</CodeBlock>
      <CopyButton text={children} what={what} />
    </div>
  );
}
