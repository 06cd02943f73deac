import type { Column } from '../../ui/columns.ts';
import { Note, RepositoryName, RowLink, sharedOwner } from '../../ui/text.tsx';

type Workflow = { workflow_id: string; workflow_name: string; repo_name: string };

export const workflowKey = ({ workflow_id: id }: Workflow) => id;

export const workflowColumn: Column<Workflow> = {
  title: 'Workflow',
  value: ({ workflow_name: name }) => name,
  cell: ({ workflow_id: id, workflow_name: name, repo_name: repository }) => (
    <NamedLink href={`/workflows/${id}`} workflow={name} note={repository} />
  ),
};

type Props = { href: string | null; workflow: string; note: string };

/** A workflow or run, with its location on a second line. */
export function NamedLink({ href, workflow, note }: Props) {
  const [repository = '', ...rest] = note.split(' · ');
  return (
    <>
      {href === null ? workflow : <RowLink href={href}>{workflow}</RowLink>}
      {note !== '' && (
        <Note size="xs" fw={400} className="row-note">
          {/* On phones, only the name without its owner fits. */}
          <RepositoryName name={repository} owner={sharedOwner([repository])} />
          {rest.map((part) => ` · ${part}`)}
        </Note>
      )}
    </>
  );
}
