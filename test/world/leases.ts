import type pg from 'pg';

/** Milliseconds that the program leases rows of these tables for. */
const leased = { deliveries: 60_000, notifications: 120_000, tasks: 60_000 };

/** Notes each write of a leased row in the template, and whose connection it was. */
export async function watchLeases(db: pg.Client): Promise<void> {
  await db.query(`
    create schema world;
    create table world.writes (
      number bigserial, of text, pid int, lease text, until timestamptz, next_lease text, next_until timestamptz);
    create function world.note() returns trigger language plpgsql as $$ begin
      insert into world.writes (of, pid, lease, until, next_lease, next_until)
      values (tg_table_name || ' ' || old.id, pg_backend_pid(), old.lease, old.leased_until, new.lease, new.leased_until);
      return null;
    end $$;
    ${Object.keys(leased)
      .map(
        (name) => `create trigger note after update on ${name} for each row execute function world.note();`,
      )
      .join('\n')}`);
}

type Write = {
  of: string;
  pid: number;
  lease: string | null;
  until: Date | null;
  next_lease: string | null;
  next_until: Date | null;
};

/** While a process holds the lease of a row, no other one writes it. */
export async function wrongWrites(db: pg.Client, nameOf: (pid: number) => string): Promise<string[]> {
  const { rows } = await db.query<Write>('select * from world.writes order by number');
  const owners = new Map<string, string>();
  return rows.flatMap(({ of, pid, lease, until, next_lease: next, next_until: nextUntil }) => {
    const writer = nameOf(pid);
    if (next !== null && next !== lease) owners.set(next, writer);
    const owner = lease === null ? writer : owners.get(lease);
    if (owner === writer) return [];
    // What people ask for is noted beside the lease.
    if (of.startsWith('deliveries') && next === lease && nextUntil?.getTime() === until?.getTime()) return [];
    // A claim sets the end of its lease by the clock, which says when it was.
    const milliseconds = leased[of.split(' ')[0] as keyof typeof leased];
    const isOver = next !== null && next !== lease && nextUntil!.getTime() - milliseconds >= until!.getTime();
    return isOver ? [] : [`${writer} writes ${of}, which ${owner} has leased until ${until!.toISOString()}`];
  });
}
