type Props = {
  name: string;
  /** Of all rows beside it, if they share one: phones leave it out. */
  owner?: string | null;
};

/** `acme/api`, which breaks after the owner and not within it. */
export function RepositoryName({ name, owner = null }: Props) {
  const at = name.lastIndexOf('/') + 1;
  if (at === 0) return name;
  const isShared = owner !== null && name.slice(0, at - 1) === owner;
  return (
    <>
      <span className={isShared ? 'repository-owner mantine-visible-from-sm' : 'repository-owner'}>
        {name.slice(0, at)}
      </span>
      <wbr />
      {name.slice(at)}
    </>
  );
}

/** `acme` if all of them are acme's. */
export function sharedOwner(names: readonly string[]): string | null {
  const owners = new Set(names.map((name) => name.slice(0, Math.max(0, name.lastIndexOf('/')))));
  const [owner] = owners;
  return owners.size === 1 && owner ? owner : null;
}

/** `api` of `acme/api`, for a narrow place where all are acme's. */
export function withoutOwner(name: string, owner: string | null): string {
  return owner !== null && name.startsWith(`${owner}/`) ? name.slice(owner.length + 1) : name;
}
