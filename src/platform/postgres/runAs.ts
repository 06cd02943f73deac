import { execFile } from 'node:child_process';
import { lchownSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { programEnvironment } from '../../config.ts';
import { PublicError } from '../lib/errors.ts';

const execute = promisify(execFile);
const run = (program: string, args: string[]) => execute(program, args, { env: programEnvironment() });

/** How to run PostgreSQL, which refuses to run as root. */
export type RunAs = {
  /** What to write before a command; empty for an ordinary user. */
  prefix: readonly string[];
  /** Who owns the files, if root must hand them over. */
  owner: { uid: number; gid: number } | null;
  /** What the operator should know; null if there is nothing unusual. */
  note: string | null;
};

/** As root, in a user namespace that keeps files root's, else as the folder's owner or `nobody`. */
export async function chooseUser(folder: string): Promise<RunAs> {
  if (process.getuid?.() !== 0) return { prefix: [], owner: null, note: null };
  const { uid, gid } = statSync(folder);
  // `initdb` asks for the name of its user, so it must be one that the system knows.
  if (uid !== 0 && (await hasName(uid))) return dropTo({ uid, gid }, `the owner of ${folder}`, null);
  const nobody = await findNobody();
  if (uid !== 0) {
    const note = `The owner of ${folder}, user ${uid}, has no name on this system: PostgreSQL runs as nobody, who owns its files there.`;
    return dropTo(nobody, 'nobody', note);
  }
  const inNamespace = ['unshare', '--user', `--map-user=${nobody.uid}`, `--map-group=${nobody.gid}`];
  if (await works(inNamespace)) return { prefix: inNamespace, owner: { uid: 0, gid: 0 }, note: null };
  const note = `PostgreSQL does not run as root, and this system forbids user namespaces: it runs as nobody, who owns its files in ${folder}.`;
  return dropTo(nobody, 'nobody', note);
}

async function dropTo(
  owner: { uid: number; gid: number },
  name: string,
  note: string | null,
): Promise<RunAs> {
  const setpriv = ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
  // Without the security bit, access(2) ignores these rights, and PostgreSQL asks it where its programs are.
  const rights = [
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    '--securebits=+no_setuid_fixup',
  ];
  for (const prefix of [[...setpriv, ...rights], setpriv])
    if (await works(prefix)) return { prefix, owner, note };
  throw new PublicError(
    'unavailable',
    'postgres_as_root',
    `PostgreSQL does not run as root, and cannot be run as ${name} here. Start Runcost as an ordinary user, or set DATABASE_URL.`,
  );
}

async function works([program, ...args]: readonly string[]): Promise<boolean> {
  return run(program!, [...args, 'true']).then(
    () => true,
    () => false,
  );
}

async function hasName(uid: number): Promise<boolean> {
  return run('id', ['-nu', String(uid)]).then(
    () => true,
    () => false,
  );
}

async function findNobody(): Promise<{ uid: number; gid: number }> {
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (which) => Number((await run('id', [which, 'nobody'])).stdout)),
  );
  return { uid: uid!, gid: gid! };
}

/** Hands one file or folder over to the user who runs PostgreSQL. */
export function giveTo(path: string, { owner }: RunAs): void {
  if (owner && lstatSync(path).uid !== owner.uid) lchownSync(path, owner.uid, owner.gid);
}

/** Hands the files over if somebody else owns the folder, as after a start by another user. */
export function handOver(folder: string, { owner }: RunAs): void {
  if (!owner || statSync(folder).uid === owner.uid) return;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    lchownSync(join(folder, name), owner.uid, owner.gid);
  lchownSync(folder, owner.uid, owner.gid);
}
