import { api } from '../../api/client.ts';
import { membersKey, type Member } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { below, Form, type Field } from '../../ui/Form.tsx';
import { roleOptions, whyNoEmails, type Role } from '../../ui/rights.tsx';
import { roleWords } from './words.ts';

export function useRoleField(): (role: Role) => Field<{ role: Role }> {
  const options = roleOptions(useSession().data?.role ?? 'viewer');
  return (role) => ({
    name: 'role',
    kind: 'choice',
    label: 'Role',
    description: roleWords[role],
    options,
    ...below,
  });
}

const none: Pick<Member, 'email' | 'name' | 'role' | 'alert_emails'> = {
  email: '',
  name: null,
  role: 'member',
  alert_emails: true,
};

export function MemberForm({ member, onClose }: { member: Member | null; onClose: () => void }) {
  const { email, name, role, alert_emails } = member ?? none;
  const roleField = useRoleField();
  return (
    <Form
      title={member ? 'Edit member' : 'Add member'}
      size="md"
      label={member ? 'Save' : 'Add member'}
      initial={{ email, name, role, alert_emails }}
      fields={({ values }) => {
        const whyNoEmail = whyNoEmails(values.role);
        return [
          {
            name: 'email',
            label: 'Email',
            type: 'email',
            required: true,
            maxLength: 254,
            'data-autofocus': true,
          },
          { name: 'name', label: 'Name (optional)', maxLength: 255 },
          roleField(values.role),
          {
            name: 'alert_emails',
            kind: 'switch',
            label: 'Send alert emails',
            description: whyNoEmail,
            disabled: whyNoEmail !== null,
            ...(whyNoEmail !== null && { checked: false }),
          },
        ];
      }}
      act={async (values) => {
        const body = { ...values, name: values.name || null };
        if (member) await api.PUT('/api/v1/members/{id}', { params: { path: { id: member.id } }, body });
        else await api.POST('/api/v1/members', { body });
      }}
      done={member ? 'Member saved.' : 'Member added.'}
      refresh={[membersKey, ['session']]}
      onClose={onClose}
    />
  );
}
