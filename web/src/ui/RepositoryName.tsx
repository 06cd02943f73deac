type Props = {
  name: string;
  /** The owner that all rows share, if any. Phones leave it out. */
  owner?: string | null;
};

/** `acme/api`, which may wrap after the owner but not within it. */
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

/** The owner of all these repositories, such as `acme`; null if they differ. */
export function sharedOwner(names: readonly string[]): string | null {
  const owners = new Set(names.map((name) => name.slice(0, Math.max(0, name.lastIndexOf('/')))));
  const [owner] = owners;
  return owners.size === 1 && owner ? owner : null;
}

/** `api` for `acme/api`, for narrow places where all repositories belong to `acme`. */
export function withoutOwner(name: string, owner: string | null): string {
  return owner !== null && name.startsWith(`${owner}/`) ? name.slice(owner.length + 1) : name;
}
