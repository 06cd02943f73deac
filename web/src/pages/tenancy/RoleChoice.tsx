import { useSession } from '../../api/session.ts';
import { Choice } from '../../ui/Choice.tsx';
import { roleOptions, type Role } from '../../ui/rights.tsx';
import { errorOf } from '../../ui/useChange.ts';
import { roleWords } from './words.ts';

type Props = { value: Role; onChange: (role: Role) => void; error: Error | null };

export function RoleChoice({ value, onChange, error }: Props) {
  const { data: session } = useSession();
  return (
    <Choice
      label="Role"
      description={roleWords[value]}
      options={roleOptions(session?.role ?? 'viewer')}
      value={value}
      onChange={onChange}
      error={errorOf(error, 'role')}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    />
  );
}
