import { Note, RepositoryName, RowLink, sharedOwner } from '../../ui/text.tsx';

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
