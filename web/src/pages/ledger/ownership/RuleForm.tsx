import { DayField } from '../../../analysis/DayField.tsx';
import { api } from '../../../api/client.ts';
import { below, Form, type Field as FieldOf } from '../../../ui/Form.tsx';
import { changedByRules, rulesPath } from './queries.ts';
import type { Rule } from './rules.ts';

const kinds = [
  { value: 'team', label: 'Team' },
  { value: 'cost_center', label: 'Cost center' },
] as const;

const texts = ['owner', 'repository', 'workflow', 'label', 'valid_from', 'valid_until', 'position'] as const;
type Field = (typeof texts)[number];

type Values = Record<Field, string> & { kind: Rule['kind'] };

/** What a new rule begins with. */
export type Given = Partial<Pick<Rule, 'kind' | 'repository'>>;

function valuesOf(given: Partial<Rule>): Values {
  const typed = Object.fromEntries(texts.map((name) => [name, String(given[name] ?? '')]));
  return { ...(typed as Record<Field, string>), kind: given.kind ?? 'team' };
}

const pattern = (name: Field, label: string, description: string, placeholder?: string): FieldOf<Values> => ({
  name,
  label,
  description,
  placeholder,
  ...below,
});

const focused = { 'data-autofocus': true };

type Props = { rule: Rule | null; given?: Given | undefined; onClose: () => void };

export function RuleForm({ rule, given, onClose }: Props) {
  return (
    <Form
      title={rule ? 'Edit rule' : 'Add a rule'}
      label={rule ? 'Save rule' : 'Add rule'}
      initial={valuesOf(rule ?? given ?? {})}
      fields={({ values, input }) => [
        [
          {
            name: 'kind',
            kind: 'choice',
            label: 'Owner is a',
            options: kinds,
            ...(given === undefined && focused),
          },
          {
            name: 'owner',
            label: 'Owner',
            required: true,
            maxLength: 100,
            placeholder: 'Platform',
            ...(given !== undefined && focused),
          },
        ],
        [
          pattern('repository', 'Repository', 'owner/name. * stands for any characters.', 'acme/api-*'),
          pattern('workflow', 'Workflow', 'Name or id.', 'Deploy*'),
        ],
        [
          pattern('label', 'Label', 'Any one label of the job.', 'gpu-*'),
          {
            ...pattern('position', 'Position', 'The first match decides. Leave empty to add it last.'),
            inputMode: 'numeric',
            pattern: '[0-9]*',
          },
        ],
        [
          <DayField
            label="First day (UTC)"
            description="Leave empty for all of history."
            placeholder="Any day"
            {...below}
            {...input('valid_from')}
          />,
          <DayField
            label="Last day (UTC)"
            description="Empty: no end."
            placeholder="Any day"
            min={values.valid_from}
            {...below}
            {...input('valid_until')}
          />,
        ],
      ]}
      act={async ({ kind, owner, position, ...patterns }) => {
        const filled = Object.entries(patterns).map(([name, text]) => [name, text || null]);
        const at = position && { position: Number(position) };
        const body = { kind, owner, ...Object.fromEntries(filled), ...at };
        if (rule) await api.PUT('/api/v1/ownership/rules/{id}', { params: { path: { id: rule.id } }, body });
        else await api.POST(rulesPath, { body });
      }}
      done={rule ? 'Rule saved.' : 'Rule added.'}
      refresh={changedByRules}
      onClose={onClose}
    />
  );
}
