import { CodeBlock } from './CodeBlock.tsx';
import './command.css';
import { CopyButton } from './CopyField.tsx';

type Props = {
  label: string;
  what?: string;
  children: string;
};

export function Command({ label, what = 'the command', children }: Props) {
  return (
    <div className="command">
      <CodeBlock label={label}>
        {/* Lines break at spaces, not inside an option such as --since. */}
        {children
          .split(/(\s+)/)
          .map((part, index) => (/\S/.test(part) ? <span key={index}>{part}</span> : part))}
      </CodeBlock>
      <CopyButton text={children} what={what} />
    </div>
  );
}
